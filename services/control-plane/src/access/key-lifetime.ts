import type { FieldErrors } from '@multi-drm/contracts';

/** When a key ends; null: not so far. */
interface KeyLifetime {
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** Whether a key opens anything, and if not, why. A key is expired from the very instant of its expiry. */
export function keyStatus({ expiresAt, revokedAt }: KeyLifetime, now: Date): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/** What is wrong with the expiry of a new key. */
export function expiryFaults(expiresAt: Date | null, now: Date): FieldErrors {
  return expiresAt === null || expiresAt > now ? {} : { expiresAt: ['must lie in the future'] };
}

/** Until when the key before stays valid in a rotation with an overlap of so many seconds. */
export function overlapEnd(overlapSeconds: number, now: Date): Date {
  return new Date(now.getTime() + overlapSeconds * 1_000);
}
