import type { PlaybackSchemas } from '@multi-drm/contracts';
import { packTokenRecord } from '../../sessions/token-record';
import type { Reservation, SessionDetails } from '../../slots/slot-store';
import { type LicenseTokenSettings, signLicenseToken } from '../../tokens/license-token';
import { type SessionFacts, sessionResponse } from './session-response';

/** The parts of the service that issuing a session uses. */
export interface IssueParts {
  tokens: LicenseTokenSettings;
  publicUrl: string;
}

/**
 * Signs a fresh license token for a reserved session and builds the Contract v1 response. `details`: the session's, which the token
 * carries with its grant; null if grant or details may differ from those stored. Throws if the token cannot be signed.
 */
export function issueSession(
  { tokens, publicUrl }: IssueParts,
  facts: SessionFacts,
  reservation: Reservation,
  details: SessionDetails | null,
): PlaybackSchemas['PlaybackSessionResponse'] {
  const { subject, sessionId, environment, grant } = facts;
  const { contentId, drmSystem, policy, times } = grant;
  const { startedAt, serverTime, reservationId, limit } = reservation;
  const exp = Math.min(
    serverTime.getTime() + times.tokenLifetimeMilliseconds,
    startedAt.getTime() + times.maximumSessionMilliseconds,
  );
  const fields = {
    subject,
    sessionId,
    environmentId: environment.environmentId,
    contentId,
    drmSystem,
    policy: { ...policy, maximumConcurrentStreams: limit },
    reservationId,
    expiresAt: new Date(exp),
    record: details === null ? null : packTokenRecord(reservation, grant, details),
  };
  const token = signLicenseToken(tokens, fields, serverTime);
  return sessionResponse(facts, reservation, token, publicUrl);
}
