import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { Reservation, SessionDetails } from '@multi-drm/slots';
import { type LicenseTokenSettings, signLicenseToken } from '../tokens/license-token';
import type { SessionGrant } from './session-grant';
import { type SessionFacts, sessionResponse } from './session-response';
import { tokenRecordOf } from './token-record';

/** The parts of the service that issuing a session uses. */
export interface IssueParts {
  tokens: LicenseTokenSettings;
  publicUrl: string;
}

/**
 * Signs a fresh license token for a reserved session and builds the Contract v1 response. `stored`: what is stored with the session, for
 * the token to carry. Throws if the token cannot be signed.
 */
export function issueSession(
  { tokens, publicUrl }: IssueParts,
  facts: SessionFacts,
  reservation: Reservation,
  stored: { grant: SessionGrant; details: SessionDetails },
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
    record: tokenRecordOf(reservation, stored.grant, stored.details, policy),
  };
  const token = signLicenseToken(tokens, fields, serverTime);
  return sessionResponse(facts, reservation, token, publicUrl);
}
