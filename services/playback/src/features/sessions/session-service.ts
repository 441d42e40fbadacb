import type { EndUserDocument, EnvironmentDocument, PlaybackSchemas } from '@multi-drm/contracts';
import { invalidRequest, Problem } from '@multi-drm/contracts';
import { type Logger, wasNeverSent } from '@multi-drm/service-kit';
import type { Catalog } from '../../catalog/catalog';
import { checkEligibility } from '../../policy/check-eligibility';
import { type ResolvedPolicy, resolvePolicy } from '../../policy/resolve-policy';
import { selectManifests } from '../../policy/select-manifests';
import type { PendingUndos } from '../../slots/pending-undos';
import type { Reservation, ReservationReference, ReserveResult, SlotStore } from '../../slots/slot-store';
import { type LicenseToken, type LicenseTokenSettings, signLicenseToken } from '../../tokens/license-token';
import { loadTemplates } from './load-templates';
import { requestHash, sessionIdOfKey } from './session-identity';
import { type SessionFacts, sessionResponse } from './session-response';

type CreateRequest = PlaybackSchemas['CreatePlaybackSessionRequest'];

interface SessionServiceOptions {
  catalog: Catalog;
  slots: SlotStore;
  pendingUndos: PendingUndos;
  tokens: LicenseTokenSettings;
  publicUrl: string;
  randomUuid: () => string;
  logger: Logger;
}

interface CreateCall {
  request: CreateRequest;
  environment: EnvironmentDocument;
  clientId: string;
  idempotencyKey: string | undefined;
}

/** A session whose answer is ready to be sent. */
export interface CreatedSession {
  response: PlaybackSchemas['PlaybackSessionResponse'];
  /** Takes the session back, for an answer that nobody received. Absent where the caller can ask for it again. */
  abandon?: () => Promise<void>;
}

const maximumReportingBytes = 1024;

/** Creates and releases playback sessions. */
export class SessionService {
  constructor(private readonly options: SessionServiceOptions) {}

  /**
   * Checks the request against what is published, reserves a slot and signs the license token. All that can be refused
   * is decided before the reservation. Throws the `Problem` of the first rule that is broken.
   */
  async create(call: CreateCall): Promise<CreatedSession> {
    const { request, environment, clientId, idempotencyKey } = call;
    const ownId = request.sessionId === undefined && idempotencyKey === undefined;
    const sessionId = request.sessionId ?? this.makeSessionId(environment.environmentId, clientId, idempotencyKey);
    const facts = await this.decide(request, sessionId, environment);
    const reference = {
      environmentId: environment.environmentId,
      subject: request.subject,
      sessionId,
      reservationId: this.options.randomUuid(),
    };
    const result = await this.reserve(facts, reference);
    if (result.outcome === 'session_id_reused') {
      throw new Problem('session_id_reused', 'The session id was used before; each playback attempt needs a new one.');
    }
    if (result.outcome === 'limit_reached') throw limitReached(result);

    try {
      const response = sessionResponse(facts, result, this.sign(facts, result), this.options.publicUrl);
      return ownId ? { response, abandon: () => this.undo(reference, environment) } : { response };
    } catch (error) {
      if (result.outcome === 'reserved') await this.undo(reference, environment);
      throw error;
    }
  }

  /** Frees the slot of the session that the token names; again, or after its end, nothing changes. */
  async release({ environmentId, subject, sessionId, reservationId }: LicenseToken): Promise<void> {
    await this.options.slots.release({ environmentId, subject, sessionId, reservationId });
  }

  private makeSessionId(environmentId: string, clientId: string, idempotencyKey: string | undefined): string {
    return idempotencyKey === undefined
      ? this.options.randomUuid()
      : sessionIdOfKey(environmentId, clientId, idempotencyKey);
  }

  private async decide(
    request: CreateRequest,
    sessionId: string,
    environment: EnvironmentDocument,
  ): Promise<SessionFacts> {
    if (Buffer.byteLength(JSON.stringify(request.reporting ?? {}), 'utf8') > maximumReportingBytes) {
      throw invalidRequest({ reporting: [`must have at most ${maximumReportingBytes} bytes of JSON`] });
    }
    const { catalog } = this.options;
    // Together: one round trip where nothing is in memory yet.
    const [organization, viewer, content, findTemplate] = await Promise.all([
      catalog.organization(environment.organizationId),
      catalog.endUser(environment.environmentId, request.subject),
      catalog.content(environment.environmentId, request.contentId),
      loadTemplates(catalog, request, environment),
    ]);
    const policy = withViewer(resolvePolicy(request, environment, findTemplate), viewer);
    if (organization?.status !== 'active') {
      throw new Problem('environment_suspended', 'The environment does not start sessions for now.');
    }
    if (viewer?.status === 'blocked') throw new Problem('subject_blocked', 'The viewer is blocked.');
    if (content === null) throw new Problem('content_not_found', 'The environment has no such content.');
    checkEligibility(request, environment, content);
    const manifests = selectManifests(content.manifests, request);
    return { request, sessionId, environment, content, policy, manifests };
  }

  private async reserve(
    { request, policy, environment }: SessionFacts,
    reference: ReservationReference,
  ): Promise<ReserveResult> {
    try {
      return await this.options.slots.reserve({
        ...reference,
        requestHash: requestHash(request),
        limit: policy.maximumConcurrentStreams,
        lifetimeMilliseconds: environment.settings.sessionLifetimeSeconds * 1000,
        details: {
          contentId: request.contentId,
          applicationId: request.applicationId,
          clientPlatform: request.platformCapabilities?.clientPlatform ?? undefined,
        },
      });
    } catch (error) {
      // Without an answer nobody knows whether the slot was taken: take it back behind the caller's back.
      if (!wasNeverSent(error)) void this.undo(reference, environment);
      throw error;
    }
  }

  private sign({ request, sessionId, environment, policy }: SessionFacts, reservation: Reservation) {
    const { subject, contentId, drmSystem } = request;
    const { reservationId, expiresAt, serverTime } = reservation;
    const { environmentId } = environment;
    const grant = { subject, sessionId, environmentId, contentId, drmSystem, policy, reservationId, expiresAt };
    return signLicenseToken(this.options.tokens, grant, serverTime);
  }

  /** Takes a reservation back now, or as soon as Redis is in reach again. */
  private async undo(reference: ReservationReference, { settings }: EnvironmentDocument): Promise<void> {
    try {
      await this.options.slots.undo(reference);
    } catch (error) {
      this.options.pendingUndos.add(reference, settings.sessionLifetimeSeconds * 1000);
      this.options.logger.debug('a slot will be taken back later', { sessionId: reference.sessionId, error });
    }
  }
}

/** The viewer's own stream limit wins over the policy's and the environment's. A viewer that nobody synchronized has none. */
function withViewer(policy: ResolvedPolicy, viewer: EndUserDocument | null): ResolvedPolicy {
  const maximumConcurrentStreams = viewer?.maximumConcurrentStreams ?? policy.maximumConcurrentStreams;
  return { ...policy, maximumConcurrentStreams };
}

function limitReached({ limit, activeSessions }: Extract<ReserveResult, { outcome: 'limit_reached' }>): Problem {
  return new Problem('concurrent_stream_limit_reached', `The viewer has ${limit} streams at once, the most allowed.`, {
    members: {
      limit,
      activeSessions: activeSessions.map(({ startedAt, expiresAt, ...session }) => ({
        ...session,
        startedAt: startedAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
      })),
    },
  });
}
