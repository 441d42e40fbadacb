import type { FieldErrors } from '@multi-drm/contracts';

/** When a key expires; null if it does not. */
interface KeyLifetime {
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** Whether a key is valid, and if not, why. A key is expired from the exact moment of its expiry. */
export function keyStatus({ expiresAt, revokedAt }: KeyLifetime, now: Date): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

/** Validation error of a new key's expiry, if any. */
export function expiryErrors(expiresAt: Date | null, now: Date): FieldErrors {
  return expiresAt === null || expiresAt > now ? {} : { expiresAt: ['must be in the future'] };
}

/** How long the previous key stays valid after a rotation with an overlap of this many seconds. */
export function overlapEnd(overlapSeconds: number, now: Date): Date {
  return new Date(now.getTime() + overlapSeconds * 1_000);
}
