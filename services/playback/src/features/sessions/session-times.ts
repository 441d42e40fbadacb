import type { EnvironmentDocument } from '@multi-drm/contracts';

/** The spans of an environment's sessions. */
export interface SessionTimes {
  /** From each answer to `expiresAt`. */
  lifetimeMilliseconds: number;
  /** From each answer to the token's `exp`. */
  tokenLifetimeMilliseconds: number;
  /** From the start to the latest `expiresAt` and `exp` there may be. */
  maximumSessionMilliseconds: number;
  /** How often a player that wants to go on renews. */
  renewalIntervalSeconds: number;
  /** Whether `expiresAt` lies a few heartbeats away and moves with them. */
  hasHeartbeat: boolean;
}

/** No environment lets a session last longer. */
export const longestSessionMilliseconds = 86_400_000;

/** A crashed player frees its slot after so many heartbeats. */
const heartbeatsOfLife = 2.5;

/**
 * Without a heartbeat a session lives for `sessionLifetimeSeconds` and is renewed at half of that; with one, players renew
 * at each heartbeat. A token never ends between two renewals.
 */
export function sessionTimes(settings: EnvironmentDocument['settings']): SessionTimes {
  const { heartbeatSeconds, sessionLifetimeSeconds, maximumSessionSeconds, licenseTokenLifetimeSeconds } = settings;
  const lifetimeSeconds = heartbeatSeconds === null ? sessionLifetimeSeconds : heartbeatSeconds * heartbeatsOfLife;
  const tokenSeconds = Math.min(sessionLifetimeSeconds, licenseTokenLifetimeSeconds ?? sessionLifetimeSeconds);
  const halfOfEither = Math.max(1, Math.floor(Math.min(lifetimeSeconds, tokenSeconds) / 2));
  return {
    lifetimeMilliseconds: Math.min(lifetimeSeconds, maximumSessionSeconds) * 1000,
    tokenLifetimeMilliseconds: tokenSeconds * 1000,
    maximumSessionMilliseconds: maximumSessionSeconds * 1000,
    renewalIntervalSeconds: heartbeatSeconds === null ? halfOfEither : Math.min(heartbeatSeconds, halfOfEither),
    hasHeartbeat: heartbeatSeconds !== null,
  };
}
