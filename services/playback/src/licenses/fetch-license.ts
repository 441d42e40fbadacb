import { type ContentDocument, Problem, type ProblemCode } from '@multi-drm/contracts';
import { answerTypeOf, type ContentKey, type LicenseTransport, readChallenge } from '@multi-drm/license-backends';
import { allowedKeys } from '@multi-drm/policy';
import { openContentKey, type Secrets } from '@multi-drm/service-kit';
import type { SlotStore } from '@multi-drm/slots';
import type { Catalog } from '../catalog/catalog';
import type { RequestEventRecorder } from '../events/request-event-recorder';
import { refuseInSandbox } from '../sandbox/refuse-in-sandbox';
import { loadActiveSession } from '../sessions/load-active-session';
import { type RestoreParts, restoreSession } from '../sessions/restore-session';
import { readGrantTimes } from '../sessions/session-grant';
import { decisionRefused, sessionRefused } from '../sessions/session-refusals';
import { readTokenDetails } from '../sessions/token-record';
import { type LicenseToken, requireCurrent } from '../tokens/license-token';
import type { ConfiguredBackend, FindBackend } from './license-backends';
import { licenseEndsAt } from './license-end';
import { requireReadable } from './readable-secrets';

/** The parts of the service that license requests use. */
export interface LicenseParts extends RestoreParts {
  slots: Pick<SlotStore, 'countLicenseRequest' | 'restore' | 'undo'>;
  backendOf: FindBackend;
  secrets: Secrets;
  transport: LicenseTransport;
  /** License requests that one session may make per minute. */
  callsPerMinute: number;
  randomUuid: () => string;
  events: Pick<RequestEventRecorder, 'record'>;
  /** Monotonic milliseconds. */
  processNow: () => number;
}

/** A license request of an active session. */
interface LicenseRequest {
  token: LicenseToken;
  /** What the player sent. */
  body: Buffer;
  now: Date;
  /** When the license ends. */
  endsAt: Date;
  onSend: () => void;
  exchange: LicenseExchange;
}

/** A license as it is sent to the player. */
export interface License {
  bytes: Buffer;
  contentType: string;
}

/** What becomes of a license request at the license backend; null for what it has not come to. */
interface LicenseExchange {
  /** The kind of the backend. */
  backend: string | null;
  /** The status of the license server's answer. */
  vendorStatus: number | null;
  /** How long the license server took, or until it was given up. */
  milliseconds: number | null;
}

/**
 * Fetches the license for a player's challenge from the environment's license backend. Checks the session's state, then the token's
 * times, then what changed since the session started. Throws a problem if a check fails, or if the backend refuses or is
 * unavailable. `onSend` is called before each request to the backend. Records how the request has ended.
 */
export async function fetchLicense(
  parts: LicenseParts,
  token: LicenseToken,
  body: Buffer,
  onSend: () => void,
): Promise<License> {
  const exchange: LicenseExchange = { backend: null, vendorStatus: null, milliseconds: null };
  try {
    const license = await fetchCounted(parts, token, body, onSend, exchange);
    recordLicense(parts.events, token, exchange, null);
    return license;
  } catch (error) {
    // Without Redis or a complete catalog, nothing was decided.
    if (error instanceof Problem && error.code !== 'service_unavailable') {
      recordLicense(parts.events, token, exchange, error.code);
    }
    throw error;
  }
}

/** `exchange` is completed as the request goes on. */
async function fetchCounted(
  parts: LicenseParts,
  token: LicenseToken,
  body: Buffer,
  onSend: () => void,
  exchange: LicenseExchange,
): Promise<License> {
  const { slots, catalog, callsPerMinute } = parts;
  const { environmentId, subject, sessionId, reservationId } = token;
  const count = () => slots.countLicenseRequest({ environmentId, subject, sessionId, reservationId, callsPerMinute });
  let counted = await count();
  if (counted.outcome === 'unknown' && (await restoreSession(parts, token))) counted = await count();
  if (counted.outcome !== 'counted') throw sessionRefused(counted);
  requireCurrent(token, counted.serverTime);
  // The policy is the token's, which is signed; of the stored grant only the times are needed.
  const endsAt = licenseEndsAt(readGrantTimes(counted.grant), counted, token.policy);
  const request = { token, body, now: counted.serverTime, endsAt, onSend, exchange };

  // Repeating the request is harmless: it is repeated only if a document that it depends on has changed.
  return catalog.rereadBeforeRefusal((current) => fetchBy(parts, current, request));
}

async function fetchBy(
  parts: LicenseParts,
  catalog: Catalog,
  { token, body, now, endsAt, onSend, exchange }: LicenseRequest,
): Promise<License> {
  const { backendOf, randomUuid, secrets, transport, processNow } = parts;
  const { environmentId, subject, sessionId, drmSystem, contentId, policy } = token;
  const active = await loadActiveSession(catalog, token, now);
  if (active.outcome === 'refused') throw decisionRefused(active);
  const { environment, content } = active;
  refuseInSandbox('acquireLicense', environment, token, () => now);
  const configured = backendOf(await catalog.licenseBackend(environmentId, drmSystem), environment);
  const { backend, type } = configured;
  exchange.backend = type;
  const call = {
    drmSystem,
    ...readChallenge({ drmSystem, clearKey: type === 'clearkey', body }),
    environmentId,
    subject,
    sessionId,
    contentId,
    keys: keysFor(secrets, content, token, configured),
    policy,
    licenseEndsAt: endsAt,
    now,
    randomUuid,
  };
  const prepared = backend.prepare(call);
  const contentType = answerTypeOf(drmSystem, backend);
  if ('license' in prepared) return { bytes: prepared.license, contentType };
  const destination = { environmentId, drmSystem, httpAllowed: environment.kind === 'development' };
  onSend();
  // Of the last request, if it is repeated.
  exchange.vendorStatus = null;
  const sentAt = processNow();
  try {
    const answer = await transport.send(destination, prepared.makeRequest);
    exchange.vendorStatus = answer.status;
    return { bytes: backend.unwrap(answer, call), contentType };
  } finally {
    exchange.milliseconds = Math.round(processNow() - sentAt);
  }
}

/** The content's keys for tracks that the policy allows. The key itself is included only for ClearKey. */
function keysFor(
  secrets: Secrets,
  content: ContentDocument,
  { policy }: LicenseToken,
  { type }: ConfiguredBackend,
): ContentKey[] {
  return allowedKeys(content.keys, policy.tracks).map((key) => ({
    keyId: key.keyId,
    trackTypes: key.trackTypes,
    key: type === 'clearkey' ? requireReadable(() => openContentKey(secrets, content, key)) : null,
  }));
}

/** `code`: of the problem; null if a license was issued. */
function recordLicense(
  events: LicenseParts['events'],
  token: LicenseToken,
  exchange: LicenseExchange,
  code: ProblemCode | null,
): void {
  const { environmentId, subject, sessionId, reservationId } = token;
  events.record({
    kind: code === null ? 'license.issued' : 'license.refused',
    environmentId,
    subject,
    sessionId,
    reservationId,
    ...readTokenDetails(token),
    ...exchange,
    code,
    limit: null,
    activeSessions: null,
  });
}
