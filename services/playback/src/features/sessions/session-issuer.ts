import type { PlaybackSchemas } from '@multi-drm/contracts';
import type { Reservation } from '../../slots/slot-store';
import { type LicenseTokenSettings, signLicenseToken } from '../../tokens/license-token';
import { type SessionFacts, sessionResponse } from './session-response';

/** Signs a fresh license token for a reserved session and builds the Contract v1 response. */
export class SessionIssuer {
  constructor(private readonly options: { tokens: LicenseTokenSettings; publicUrl: string }) {}

  /** Throws if the token cannot be signed. */
  issue(facts: SessionFacts, reservation: Reservation): PlaybackSchemas['PlaybackSessionResponse'] {
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
    };
    const token = signLicenseToken(this.options.tokens, fields, serverTime);
    return sessionResponse(facts, reservation, token, this.options.publicUrl);
  }
}
