import type { EnvironmentDocument } from '@multi-drm/contracts';

/** The durations of an environment's sessions. */
export interface SessionTimes {
  /** From each response to `expiresAt`. */
  lifetimeMilliseconds: number;
  /** From each response to the token's `exp`. */
  tokenLifetimeMilliseconds: number;
  /** From the start to the latest possible `expiresAt` and `exp`. */
  maximumSessionMilliseconds: number;
  /** The interval at which players should renew. */
  renewalIntervalSeconds: number;
  /** Whether `expiresAt` is a few heartbeats away and moves with each renewal. */
  hasHeartbeat: boolean;
}

/** The number of heartbeats after which the slot of a crashed player is freed. */
const heartbeatsOfLife = 2.5;

/**
 * Without a heartbeat, a session lasts `sessionLifetimeSeconds` and is renewed at half of that. With one, players renew at each
 * heartbeat. A token never expires between two renewals.
 */
export function sessionTimes(settings: EnvironmentDocument['settings']): SessionTimes {
  const { heartbeatSeconds, sessionLifetimeSeconds, maximumSessionSeconds, licenseTokenLifetimeSeconds } = settings;
  const lifetimeSeconds = heartbeatSeconds === null ? sessionLifetimeSeconds : heartbeatSeconds * heartbeatsOfLife;
  const tokenSeconds = Math.min(sessionLifetimeSeconds, licenseTokenLifetimeSeconds ?? sessionLifetimeSeconds);
  const halfOfShorter = Math.max(1, Math.floor(Math.min(lifetimeSeconds, tokenSeconds) / 2));
  return {
    lifetimeMilliseconds: Math.min(lifetimeSeconds, maximumSessionSeconds) * 1000,
    tokenLifetimeMilliseconds: tokenSeconds * 1000,
    maximumSessionMilliseconds: maximumSessionSeconds * 1000,
    renewalIntervalSeconds: heartbeatSeconds === null ? halfOfShorter : Math.min(heartbeatSeconds, halfOfShorter),
    hasHeartbeat: heartbeatSeconds !== null,
  };
}
