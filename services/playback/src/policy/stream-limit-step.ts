import type { EndUserDocument, ProblemCode } from '@multi-drm/contracts';
import { lower } from './apply-ceiling';
import { passed, Refusal, type Source, type Step } from './decision-step';
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
  code: Extract<ProblemCode, 'concurrent_stream_limit_reached' | 'organization_stream_limit_reached'> | null;
}

/** Checks the stream limits in the same order as a reservation: the viewer's first, then the organization's. */
export function streamLimitStep(facts: StreamFacts): StreamDecision {
  const steps: Step[] = [];
  try {
    const viewerLimit = checkViewerLimit(facts);
    steps.push(viewerLimit.step);
    steps.push(checkOrganizationLimit(facts, viewerLimit.evicts));
    return { steps, code: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    steps.push(error.step);
    const organization = error.step.rule === 'organization_stream_limit';
    return { steps, code: organization ? 'organization_stream_limit_reached' : 'concurrent_stream_limit_reached' };
  }
}

/** The viewer's own limit, or else the policy's, capped at the content's ceiling; null: none. */
export function effectiveStreamLimit({ policy, sources, viewer }: Pick<StreamFacts, 'policy' | 'sources' | 'viewer'>): {
  limit: number | null;
  source: Source;
} {
  const ofViewer = viewer?.maximumConcurrentStreams ?? null;
  const wanted = ofViewer ?? policy.maximumConcurrentStreams;
  const limit = lower(wanted, policy.streamCeiling);
  if (limit !== wanted) return { limit, source: sources.streamCeiling };
  return { limit, source: ofViewer === null ? sources.maximumConcurrentStreams : 'end user' };
}

/** Throws a Refusal with `concurrent_stream_limit_reached` unless the oldest session would be evicted. */
function checkViewerLimit(facts: StreamFacts): { step: Step; evicts: boolean } {
  const { limit, source } = effectiveStreamLimit(facts);
  const others = facts.inUse - (facts.replacesActiveSession ? 1 : 0);
  const rule = 'viewer_stream_limit';
  if (limit === null) return { step: passed(rule, source, 'The viewer has no stream limit.'), evicts: false };
  const count = `${others} of ${limit} streams are in use.`;
  if (others < limit) return { step: passed(rule, source, count), evicts: false };
  // At a limit of zero, there is nothing to evict.
  if (facts.policy.atStreamLimit === 'evict-oldest' && limit > 0) {
    return { step: passed(rule, facts.sources.atStreamLimit, `${count} The oldest session would end.`), evicts: true };
  }
  throw new Refusal(rule, source, 'concurrent_stream_limit_reached', count);
}

/** Throws a Refusal with `organization_stream_limit_reached` if the session would add a stream to a full plan. */
function checkOrganizationLimit({ organizationIsFull, replacesActiveSession }: StreamFacts, evicts: boolean): Step {
  const rule = 'organization_stream_limit';
  if (!organizationIsFull) return passed(rule, 'organization', "The organization's plan has streams left.");
  if (evicts || replacesActiveSession)
    return passed(rule, 'organization', 'The session adds no stream to the full plan.');
  const detail = "The organization's plan has no streams left.";
  throw new Refusal(rule, 'organization', 'organization_stream_limit_reached', detail);
}
