import { Problem } from '@multi-drm/contracts';
import { isRedisFull, type RateLimiter, rateLimited } from '@multi-drm/service-kit';
import { longestSessionMilliseconds, type SessionReference, type SlotStore } from '@multi-drm/slots';
import type { LicenseToken, LicenseTokenSettings } from '../tokens/license-token';

/** The parts of the service that releases use. */
export interface ReleaseParts {
  slots: Pick<SlotStore, 'release' | 'remember'>;
  /** The limit of an API client's releases of unknown ids, by client id. */
  unknownReleaseLimiter: Pick<RateLimiter, 'take'>;
  tokens: Pick<LicenseTokenSettings, 'backdateSeconds'>;
}

/**
 * Releases a playback session. Releasing a known id stores nothing. An unknown id is remembered, because its create may still be
 * in transit, or Redis may have lost the session, whose player could otherwise bring it back. To bound that storage, a token can add only
 * its own id, and an API client only so many ids in a minute. `token` is null for a backend, `clientId` for a player.
 *
 * Throws `rate_limited` beyond that limit, and `service_unavailable` if a full Redis cannot remember the id: a backend must learn that the
 * session may still play. Neither for a player, which would not play on after its own release.
 */
export async function releaseOrRemember(
  { slots, unknownReleaseLimiter, tokens }: ReleaseParts,
  session: SessionReference,
  token: LicenseToken | null,
  clientId: string | null,
  reason: 'ended' | 'terminated',
): Promise<void> {
  const call = { ...session, reservationId: token?.reservationId ?? null, reason };
  if ((await slots.release(call)) !== 'unknown') return;
  if (clientId !== null) takeUnknownRelease(unknownReleaseLimiter, clientId);
  const remembered = await remember(slots, session, token && latestEnd(token, tokens.backdateSeconds));
  if (remembered === 'remembered') return;
  // The session was created in the meantime, or may have been, just before Redis was full.
  const released = await slots.release(call);
  if (remembered === 'full' && released === 'unknown' && clientId !== null) {
    throw new Problem('service_unavailable', 'The data store of the service is full and cannot remember the id now.');
  }
}

function takeUnknownRelease(limiter: ReleaseParts['unknownReleaseLimiter'], clientId: string): void {
  const retryAfterSeconds = limiter.take(clientId);
  if (retryAfterSeconds === undefined) return;
  throw rateLimited(
    retryAfterSeconds,
    'Too many sessions that the service does not know were released within a minute.',
  );
}

/** The latest time that the session of a token can end. */
function latestEnd({ notBefore }: LicenseToken, backdateSeconds: number): Date {
  return new Date(notBefore.getTime() + backdateSeconds * 1000 + longestSessionMilliseconds);
}

/** `full`: Redis is full and remembers no new ids. */
async function remember(
  slots: ReleaseParts['slots'],
  session: SessionReference,
  until: Date | null,
): Promise<'remembered' | 'known' | 'full'> {
  try {
    return await slots.remember(session, until);
  } catch (error) {
    if (isRedisFull(error)) return 'full';
    throw error;
  }
}
