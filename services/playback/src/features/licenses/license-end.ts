import type { SignedPolicy } from '@multi-drm/contracts';
import type { SessionTimes } from '../sessions/session-times';

/**
 * No vendor license outlives what it was given for. Without a heartbeat that is `expiresAt`. With one `expiresAt` lies a few
 * heartbeats away and moves, so that it is the end of the longest session. Never past the rights' window. `times`: those
 * kept with the session, which renewals go by as well.
 */
export function licenseEndsAt(
  times: Pick<SessionTimes, 'hasHeartbeat' | 'maximumSessionMilliseconds'>,
  { startedAt, expiresAt }: { startedAt: Date; expiresAt: Date },
  { availableUntil }: Pick<SignedPolicy, 'availableUntil'>,
): Date {
  const longest = startedAt.getTime() + times.maximumSessionMilliseconds;
  const end = times.hasHeartbeat ? longest : expiresAt.getTime();
  return new Date(availableUntil === undefined ? end : Math.min(end, Date.parse(availableUntil)));
}
