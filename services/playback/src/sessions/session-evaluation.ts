import type { EnvironmentDocument, PlaybackSchemas, ProblemCode } from '@multi-drm/contracts';
import {
  checkSandbox,
  effectiveStreamLimit,
  type ResolvedPolicy,
  type Step,
  stepOf,
  streamLimitStep,
} from '@multi-drm/policy';
import type { OrganizationUsage, SlotStore } from '@multi-drm/slots';
import type { Catalog, RereadingCatalog } from '../catalog/catalog';
import { sandboxProblem } from '../sandbox/refuse-in-sandbox';
import { decideSession } from './session-decision';
import { sessionPolicy } from './session-policy';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];
type Evaluation = PlaybackSchemas['PlaybackEvaluationResponse'];

/** The parts of the service that evaluations use. */
export interface EvaluationParts {
  catalog: RereadingCatalog;
  slots: Pick<SlotStore, 'countOf' | 'find'>;
  usage: OrganizationUsage;
  now: () => Date;
}

/**
 * Returns what a create would decide and why. Reserves nothing, and ignores the session id. Throws only the problem
 * `invalid_request`: every other refusal is part of the result.
 */
export async function evaluatePlaybackSession(
  parts: EvaluationParts,
  request: CreateRequest,
  environment: EnvironmentDocument,
): Promise<Evaluation> {
  const inSandbox = checkSandbox('createPlaybackSession', environment, request.subject);
  if (inSandbox?.code === 'invalid_request') throw sandboxProblem(inSandbox, request, parts.now());
  if (inSandbox !== null) return evaluation(inSandbox.code, [stepOf(inSandbox)], null);
  const { catalog } = parts;
  const { environmentId } = environment;
  const { generation, evaluated } = await catalog.rereadBeforeRefusal(
    async (current) => ({
      generation: await current.generation(),
      evaluated: await evaluateBy(current, parts, request, environmentId),
    }),
    (result) => !result.evaluated.allowed,
  );
  // The same check as in a create.
  await catalog.requireGeneration(generation);
  return evaluated;
}

async function evaluateBy(
  catalog: Catalog,
  { slots, usage, now }: EvaluationParts,
  request: CreateRequest,
  environmentId: string,
): Promise<Evaluation> {
  const { subject } = request;
  const viewer = await catalog.endUser(environmentId, subject);
  const decision = await decideSession(catalog, request, environmentId, viewer, now);
  if (!decision.allowed) {
    return evaluation(decision.refusal.code, decision.explanation.steps(), decision.policy);
  }
  const { policy, sources, organization, explanation } = decision;
  const [inUse, organizationIsFull, replacesActiveSession] = await Promise.all([
    slots.countOf(environmentId, subject),
    usage.isFull(organization, environmentId),
    isActive(slots, environmentId, subject, request.replacesSessionId),
  ]);
  const streams = { policy, sources, viewer, inUse, replacesActiveSession, organizationIsFull };
  const limits = streamLimitStep(streams);
  const maximumConcurrentStreams = effectiveStreamLimit(streams).limit;
  return evaluation(limits.code, [...explanation.steps(), ...limits.steps], { ...policy, maximumConcurrentStreams });
}

async function isActive(
  slots: Pick<SlotStore, 'find'>,
  environmentId: string,
  subject: string,
  sessionId: string | undefined,
): Promise<boolean> {
  if (sessionId === undefined) return false;
  return (await slots.find({ environmentId, subject, sessionId })).state === 'reserved';
}

/** The response. It shows the same part of the policy as a session's response. */
function evaluation(code: ProblemCode | null, steps: Step[], policy: ResolvedPolicy | null): Evaluation {
  return {
    allowed: code === null,
    // Safe: only rules of playback refuse here, and the document lists their codes.
    ...(code === null ? {} : { code: code as PlaybackSchemas['ProblemCode'] }),
    steps,
    policy: policy && sessionPolicy(policy, policy.allowedTrackTypes),
  };
}
