import type { SignedPolicy } from '@multi-drm/policy';
import type { SessionTimes } from '../sessions/session-times';

/**
 * Returns when a session's vendor licenses end: at `expiresAt`, or, with a heartbeat, at the end of the maximum session, because
 * `expiresAt` is then only a few heartbeats away and moves with renewals. Never after the availability window. `times` are those
 * of the session's grant, which renewals use too.
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
