import type { EnvironmentDocument, SignedPolicy } from '@multi-drm/contracts';

/**
 * No vendor license outlives what it was given for. Without a heartbeat that is `expiresAt`. With one `expiresAt` lies a few
 * heartbeats away and moves, so that it is the end of the longest session. Never past the rights' window.
 */
export function licenseEndsAt(
  { settings }: Pick<EnvironmentDocument, 'settings'>,
  { startedAt, expiresAt }: { startedAt: Date; expiresAt: Date },
  { availableUntil }: Pick<SignedPolicy, 'availableUntil'>,
): Date {
  const longest = startedAt.getTime() + settings.maximumSessionSeconds * 1000;
  const end = settings.heartbeatSeconds === null ? expiresAt.getTime() : longest;
  return new Date(availableUntil === undefined ? end : Math.min(end, Date.parse(availableUntil)));
}
