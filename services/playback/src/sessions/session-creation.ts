import type { EnvironmentDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { isRedisFull, type Logger, wasNeverSent } from '@multi-drm/service-kit';
import type {
  OrganizationStarts,
  OrganizationUsage,
  PendingUndos,
  PlacedReservation,
  ReservationReference,
  ReserveResult,
  SessionDetails,
  SlotStore,
} from '@multi-drm/slots';
import type { Catalog, Generation, RereadingCatalog } from '../catalog/catalog';
import { recordRefusal } from '../events/refused-session';
import type { RequestEventRecorder } from '../events/request-event-recorder';
import { refuseInSandbox } from '../sandbox/refuse-in-sandbox';
import { type IssueParts, issueSession } from './issue-session';
import type { GrantedSession, KnownGrants } from './known-grants';
import { type CheckedReservation, reserveInGeneration } from './reserve-in-generation';
import { packGrant, readGrant, type SessionGrant } from './session-grant';
import { requestHash, sessionIdOfKey } from './session-identity';
import { decisionRefused, reservationRefused } from './session-refusals';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];

/** The parts of the service that creates use. */
export interface CreationParts extends IssueParts {
  catalog: RereadingCatalog;
  grants: KnownGrants;
  slots: Pick<SlotStore, 'reserve' | 'undo'>;
  usage: OrganizationUsage;
  starts: Pick<OrganizationStarts, 'wait' | 'countOne'>;
  pendingUndos: PendingUndos;
  events: Pick<RequestEventRecorder, 'record'>;
  randomUuid: () => string;
  now: () => Date;
  logger: Logger;
}

interface CreateCall {
  request: CreateRequest;
  environment: Pick<EnvironmentDocument, 'environmentId' | 'kind'>;
  clientId: string;
  idempotencyKey: string | undefined;
}

/** A session whose response is ready to be sent. */
export interface CreatedSession {
  response: PlaybackSchemas['PlaybackSessionResponse'];
  /** Undoes the session if its response was not received. Absent if the caller can repeat the create. */
  abandon?: () => Promise<void>;
}

/**
 * Creates a playback session: checks the request against the published documents, reserves a slot and signs the license token.
 * Everything that can be refused is decided before the reservation. Throws the problem of the first rule that refuses, and records it.
 */
export async function createPlaybackSession(parts: CreationParts, call: CreateCall): Promise<CreatedSession> {
  const { environment, request } = call;
  try {
    refuseInSandbox('createPlaybackSession', environment, request, parts.now);
    return await create(parts, call);
  } catch (error) {
    recordRefusal(parts.events, error, () => {
      const { contentId, contentType, drmSystem, applicationId = null, clientPlatform = null } = detailsOf(request);
      const { environmentId } = environment;
      const session = { environmentId, subject: request.subject, sessionId: request.sessionId ?? null };
      return { ...session, reservationId: null, contentId, contentType, drmSystem, applicationId, clientPlatform };
    });
    throw error;
  }
}

async function create(parts: CreationParts, call: CreateCall): Promise<CreatedSession> {
  const { request, idempotencyKey } = call;
  const { environmentId } = call.environment;
  const byKey = request.sessionId === undefined && idempotencyKey !== undefined;
  const ownId = request.sessionId === undefined && !byKey;
  const sessionId = request.sessionId ?? makeSessionId(parts, call);
  const reference = { environmentId, subject: request.subject, sessionId, reservationId: parts.randomUuid() };
  const { granted, result, invalidatedBy, buckets } = await parts.catalog.rereadBeforeRefusal(
    (current) => decideAndReserve(parts, current, request, reference),
    // The other outcomes do not depend on cached documents.
    ({ result: { outcome } }) =>
      outcome === 'limit_reached' || outcome === 'organization_full' || outcome === 'starts_used_up',
  );
  const { environment, organization, content, manifests, grant, fixed } = granted;
  const placed = { buckets, ...reference };
  if (invalidatedBy !== undefined) {
    if (result.outcome === 'reserved') await undo(parts, placed, grant);
    throw invalidatedBy;
  }
  if (result.outcome !== 'reserved' && result.outcome !== 'repeated') {
    throw reservationRefused(result, byKey, parts.starts.wait(organization) ?? 1);
  }

  try {
    const facts = { sessionId, subject: request.subject, environment, content, manifests, grant, fixed };
    // A repeat is answered by what is granted now, but the session keeps its first grant.
    const stored = result.outcome === 'repeated' ? readGrant(result.grant, request) : grant;
    const response = issueSession(parts, facts, result, { grant: stored, details: detailsOf(request) });
    return ownId ? { response, abandon: () => undo(parts, placed, grant) } : { response };
  } catch (error) {
    if (result.outcome === 'reserved') await undo(parts, placed, grant);
    throw error;
  }
}

function makeSessionId(
  { randomUuid }: CreationParts,
  { environment: { environmentId }, clientId, idempotencyKey, request: { subject } }: CreateCall,
): string {
  if (idempotencyKey === undefined) return randomUuid();
  return sessionIdOfKey({ environmentId, clientId, subject, idempotencyKey });
}

/** Can be repeated after a refusal, because nothing is reserved then. */
async function decideAndReserve(
  parts: CreationParts,
  catalog: Catalog,
  request: CreateRequest,
  reference: ReservationReference,
): Promise<CheckedReservation<ReserveResult> & { granted: GrantedSession }> {
  const generation = await catalog.generation();
  // The reservation checks the viewer's status together with its limit.
  const granted = await parts.grants.decide(catalog, request, reference.environmentId, parts.now);
  if (!granted.allowed) throw decisionRefused(granted.refusal);
  return { granted, ...(await reserve(parts, request, granted, reference, generation)) };
}

async function reserve(
  parts: CreationParts,
  request: CreateRequest,
  { policy, environment, organization, grant }: GrantedSession,
  reference: ReservationReference,
  generation: Generation,
): Promise<CheckedReservation<ReserveResult>> {
  const { catalog, slots, usage, starts } = parts;
  const { buckets } = generation;
  const organizationIsFull = await usage.isFull(organization, environment.environmentId);
  try {
    const reservation = {
      ...reference,
      buckets,
      requestHash: requestHash(request),
      limit: policy.maximumConcurrentStreams,
      limitCeiling: policy.streamCeiling,
      atStreamLimit: policy.atStreamLimit,
      organizationIsFull,
      startsAreUsedUp: starts.wait(organization) !== undefined,
      replacesSessionId: request.replacesSessionId ?? null,
      lifetimeMilliseconds: grant.times.lifetimeMilliseconds,
      details: detailsOf(request),
      grant: packGrant(grant),
    };
    const checked = await reserveInGeneration(catalog, generation, () => slots.reserve(reservation));
    if (checked.result.outcome === 'reserved') {
      // Counted even if it replaced another session: the streams are recounted before anyone is refused because of them.
      usage.countOne(organization);
      starts.countOne(organization);
    }
    return checked;
  } catch (error) {
    // Without a reply it is unknown whether the slot was reserved: undo it in the background. A full Redis refuses the script
    // before it runs.
    if (!wasNeverSent(error) && !isRedisFull(error)) void undo(parts, { buckets, ...reference }, grant);
    throw error;
  }
}

/** Undoes a reservation now, or as soon as Redis is reachable again. */
async function undo(
  { slots, pendingUndos, logger }: CreationParts,
  reservation: PlacedReservation,
  { times }: SessionGrant,
): Promise<void> {
  try {
    await slots.undo(reservation);
  } catch (error) {
    pendingUndos.add(reservation, times.lifetimeMilliseconds);
    logger.debug('the undo of a reservation is pending', { sessionId: reservation.sessionId, error });
  }
}

function detailsOf(request: CreateRequest): SessionDetails {
  return {
    contentId: request.contentId,
    contentType: request.contentType,
    drmSystem: request.drmSystem,
    applicationId: request.applicationId,
    clientPlatform: request.platformCapabilities?.clientPlatform ?? undefined,
    attemptId: request.attemptId,
    reporting: request.reporting,
  };
}
