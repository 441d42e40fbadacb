import { type PlaybackSchemas, Problem } from '@multi-drm/contracts';
import { type ManifestSelection, selectManifests } from '@multi-drm/policy';
import type { SessionReference, SlotStore, StoredDetails } from '@multi-drm/slots';
import { recordRefusal } from '../events/refused-session';
import type { RequestEventRecorder } from '../events/request-event-recorder';
import { type LicenseToken, requireCurrent } from '../tokens/license-token';
import { type IssueParts, issueSession } from './issue-session';
import { loadActiveSession } from './load-active-session';
import { type RestoreParts, restoreSession } from './restore-session';
import { readGrant, type SessionGrant } from './session-grant';
import { decisionRefused, sessionRefused } from './session-refusals';
import { fixedParts } from './session-response';
import { readTokenRecord, type TokenRecord } from './token-record';

type Renewed = PlaybackSchemas['PlaybackSessionResponse'];

/** The parts of the service that renewals use. */
export interface RenewalParts extends IssueParts, RestoreParts {
  slots: Pick<SlotStore, 'find' | 'renew' | 'restore' | 'undo'>;
  /** Renewals that one session may make per minute. */
  callsPerMinute: number;
  /** Estimates the time of Redis. */
  redisNow: () => Date;
  events: Pick<RequestEventRecorder, 'record'>;
}

/** The session as it was granted at its start. */
interface GrantedSession extends SessionReference {
  reservationId: string;
  grant: SessionGrant;
  details: StoredDetails;
}

/** Milliseconds by which the estimated time of Redis, and the time that a command takes, are certainly less. */
const estimateMargin = 5_000;

/**
 * Extends the session's `expiresAt` and signs a fresh token under the session's grant, if viewer, environment and content are still
 * allowed. `token` is the player's, checked after the session's state; null for a backend. Records a refusal.
 */
export async function renewPlaybackSession(
  parts: RenewalParts,
  session: SessionReference,
  token: LicenseToken | null,
): Promise<Renewed> {
  const record = token && readTokenRecord(token);
  try {
    const renewed = token && record && (await renewByToken(parts, session, token, record));
    return renewed ?? (await renewFound(parts, session, token));
  } catch (error) {
    recordRefusal(parts.events, error, () => ({
      ...session,
      reservationId: token?.reservationId ?? null,
      contentId: token?.contentId ?? null,
      contentType: record?.details.contentType ?? null,
      drmSystem: token?.drmSystem ?? null,
      applicationId: record?.details.applicationId ?? null,
      clientPlatform: record?.details.clientPlatform ?? null,
    }));
    throw error;
  }
}

/**
 * Renews in one step what the token describes completely. Returns null if anything is refused: the session's state comes first, and is
 * not known here.
 */
async function renewByToken(
  parts: RenewalParts,
  session: SessionReference,
  token: LicenseToken,
  { grant, details }: TokenRecord,
): Promise<Renewed | null> {
  const { reservationId } = token;
  const soon = new Date(parts.redisNow().getTime() + estimateMargin);
  try {
    requireCurrent(token, soon);
    return await renew(parts, { ...session, reservationId, grant, details }, soon);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

async function renewFound(
  parts: RenewalParts,
  session: SessionReference,
  token: LicenseToken | null,
): Promise<Renewed> {
  let found = await parts.slots.find(session);
  if (found.state === 'unknown' && token !== null && (await restoreSession(parts, token))) {
    found = await parts.slots.find(session);
  }
  if (found.state !== 'reserved') throw sessionRefused({ outcome: found.state });
  const { reservationId, details, serverTime } = found;
  if (token !== null) {
    if (token.reservationId !== reservationId) throw sessionRefused({ outcome: 'other_reservation' });
    requireCurrent(token, serverTime);
  }
  return renew(parts, { ...session, reservationId, grant: readGrant(found.grant, details), details }, serverTime);
}

/** Extends the session if it is still allowed at `now`. A refusal, which is a problem, changes nothing. */
async function renew(parts: RenewalParts, session: GrantedSession, now: Date): Promise<Renewed> {
  const { catalog, slots, callsPerMinute } = parts;
  const { grant, details, ...reference } = session;
  const { environment, content, manifests } = await catalog.rereadBeforeRefusal(async (current) => {
    const active = await loadActiveSession(current, { environmentId: session.environmentId, ...grant }, now);
    if (active.outcome === 'refused') throw decisionRefused(active);
    return { ...active, manifests: manifestsOf(active.content.manifests, grant) };
  });
  const { lifetimeMilliseconds, maximumSessionMilliseconds } = grant.times;
  const result = await slots.renew({ ...reference, lifetimeMilliseconds, maximumSessionMilliseconds, callsPerMinute });
  if (result.outcome !== 'renewed') throw sessionRefused(result);
  const { subject, sessionId } = session;
  const fixed = fixedParts(environment, content, grant);
  return issueSession(parts, { sessionId, subject, environment, content, manifests, grant, fixed }, result, {
    grant,
    details,
  });
}

/** Throws the problem `manifest_not_available`. */
function manifestsOf(
  manifests: Parameters<typeof selectManifests>[0],
  { drmSystem, manifestTypes }: SessionGrant,
): ManifestSelection {
  const selection = selectManifests(manifests, { drmSystem, platformCapabilities: { manifestTypes } });
  if (selection.outcome === 'refused') throw decisionRefused(selection);
  return selection.found;
}
