import type { EndUserDocument, ProblemCode } from '@multi-drm/contracts';
import { lower } from './apply-ceiling';
import { type Checked, type Found, passed, refused, type Source, type Step, stepOf } from './decision-step';
import type { PolicySources, ResolvedPolicy } from './resolved-policy';

export interface StreamFacts {
  policy: Pick<ResolvedPolicy, 'maximumConcurrentStreams' | 'streamCeiling' | 'atStreamLimit'>;
  sources: Pick<PolicySources, 'maximumConcurrentStreams' | 'streamCeiling' | 'atStreamLimit'>;
  viewer: EndUserDocument | null;
  /** The viewer's active sessions in the environment. */
  inUse: number;
  /** Whether `replacesSessionId` names one of them, whose slot is then free. */
  replacesActiveSession: boolean;
  /** Whether the organization has used all streams of its plan. */
  organizationIsFull: boolean;
}

export interface StreamDecision {
  steps: Step[];
  /** The code that a create would be refused with; null if it would be allowed. */
  code: ProblemCode | null;
}

/** Checks the stream limits in the same order as a reservation: the viewer's first, then the organization's. */
export function streamLimitStep(facts: StreamFacts): StreamDecision {
  const viewerCheck = checkViewerLimit(facts);
  const steps = [stepOf(viewerCheck)];
  if (viewerCheck.outcome === 'refused') return { steps, code: viewerCheck.code };
  const organizationCheck = checkOrganizationLimit(facts, viewerCheck.found.evicts);
  steps.push(stepOf(organizationCheck));
  return { steps, code: organizationCheck.outcome === 'refused' ? organizationCheck.code : null };
}

/** How many active sessions a viewer may have, also with a higher limit or none. The slot scripts have the same number. */
const maximumStreams = 100;

/**
 * The viewer's own limit, or else the policy's, capped at the content's ceiling; null: none. A higher one counts as {@link maximumStreams}.
 */
export function effectiveStreamLimit({ policy, sources, viewer }: Pick<StreamFacts, 'policy' | 'sources' | 'viewer'>): {
  limit: number | null;
  source: Source;
} {
  const viewerLimit = viewer?.maximumConcurrentStreams ?? null;
  const wanted = viewerLimit ?? policy.maximumConcurrentStreams;
  const capped = lower(wanted, policy.streamCeiling);
  const limit = capped === null ? null : Math.min(capped, maximumStreams);
  if (capped !== wanted) return { limit, source: sources.streamCeiling };
  return { limit, source: viewerLimit === null ? sources.maximumConcurrentStreams : 'end user' };
}

/** Refuses with `concurrent_stream_limit_reached` unless the oldest session would be evicted. */
function checkViewerLimit(facts: StreamFacts): Found<{ evicts: boolean }> {
  const { limit: own, source } = effectiveStreamLimit(facts);
  const others = facts.inUse - (facts.replacesActiveSession ? 1 : 0);
  const rule = 'viewer_stream_limit';
  if (own === null && others < maximumStreams)
    return { ...passed(rule, source, () => 'The viewer has no stream limit.'), found: { evicts: false } };
  const limit = own ?? maximumStreams;
  const count = `${others} of ${limit} streams are in use.`;
  if (others < limit) return { ...passed(rule, source, () => count), found: { evicts: false } };
  // At a limit of zero, there is nothing to evict.
  if (facts.policy.atStreamLimit === 'evict-oldest' && limit > 0) {
    const detail = () => `${count} The oldest session would end.`;
    return { ...passed(rule, facts.sources.atStreamLimit, detail), found: { evicts: true } };
  }
  return refused(rule, source, 'concurrent_stream_limit_reached', count);
}

/** Refuses with `organization_stream_limit_reached` if the session would add a stream to a full plan. */
function checkOrganizationLimit({ organizationIsFull, replacesActiveSession }: StreamFacts, evicts: boolean): Checked {
  const rule = 'organization_stream_limit';
  if (!organizationIsFull) return passed(rule, 'organization', () => "The organization's plan has streams left.");
  if (evicts || replacesActiveSession)
    return passed(rule, 'organization', () => 'The session adds no stream to the full plan.');
  const detail = "The organization's plan has no streams left.";
  return refused(rule, 'organization', 'organization_stream_limit_reached', detail);
}
