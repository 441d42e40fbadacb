import type { EndUserDocument, ProblemCode } from '@multi-drm/contracts';
import { lower } from './apply-ceiling';
import type { PolicySources, ResolvedPolicy } from './resolved-policy';
import { passed, Refusal, type Source, type Step } from './step';

export interface StreamFacts {
  policy: Pick<ResolvedPolicy, 'maximumConcurrentStreams' | 'streamCeiling' | 'atStreamLimit'>;
  sources: Pick<PolicySources, 'maximumConcurrentStreams' | 'streamCeiling' | 'atStreamLimit'>;
  viewer: EndUserDocument | null;
  /** Live sessions of the viewer in the environment. */
  inUse: number;
  /** True where `replacesSessionId` names one of them: it frees its place. */
  replacesLiveSession: boolean;
  /** True where the organization's plan has no stream left. */
  organizationIsFull: boolean;
}

export interface StreamDecision {
  steps: Step[];
  /** What a create would be refused with; null where it would not be. */
  code: Extract<ProblemCode, 'concurrent_stream_limit_reached' | 'organization_stream_limit_reached'> | null;
}

/** Decides on the limits of streams as the slots do: the viewer's first, then the organization's. */
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

/** The viewer's own limit, else the policy's, neither above the content's ceiling; null: none. */
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

/** Throws a Refusal with `concurrent_stream_limit_reached`, except where the oldest session gives way. */
function checkViewerLimit(facts: StreamFacts): { step: Step; evicts: boolean } {
  const { limit, source } = effectiveStreamLimit(facts);
  const others = facts.inUse - (facts.replacesLiveSession ? 1 : 0);
  const rule = 'viewer_stream_limit';
  if (limit === null) return { step: passed(rule, source, 'The viewer has no limit of streams.'), evicts: false };
  const count = `${others} of ${limit} streams are in use.`;
  if (others < limit) return { step: passed(rule, source, count), evicts: false };
  // At a limit of zero no eviction makes room.
  if (facts.policy.atStreamLimit === 'evict-oldest' && limit > 0) {
    return { step: passed(rule, facts.sources.atStreamLimit, `${count} The oldest session would end.`), evicts: true };
  }
  throw new Refusal(rule, source, 'concurrent_stream_limit_reached', count);
}

/** Throws a Refusal with `organization_stream_limit_reached` where the session would add a stream to a full plan. */
function checkOrganizationLimit({ organizationIsFull, replacesLiveSession }: StreamFacts, evicts: boolean): Step {
  const rule = 'organization_stream_limit';
  if (!organizationIsFull) return passed(rule, 'organization', "The organization's plan has streams left.");
  if (evicts || replacesLiveSession)
    return passed(rule, 'organization', 'The session adds no stream to the full plan.');
  const detail = "The organization's plan has no stream left.";
  throw new Refusal(rule, 'organization', 'organization_stream_limit_reached', detail);
}
