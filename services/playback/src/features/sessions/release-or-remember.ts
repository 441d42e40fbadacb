import { isRedisFull, type RateLimiter } from '@multi-drm/service-kit';
import { longestSessionMilliseconds } from '../../sessions/session-times';
import type { SlotStore } from '../../slots/slot-store';
import type { LicenseToken, LicenseTokenSettings } from '../../tokens/license-token';
import type { CalledSession } from './session-caller';

/** The parts of the service that releases use. */
export interface ReleaseParts {
  slots: Pick<SlotStore, 'release' | 'remember'>;
  /** The limit of all calls of an API client, by client id. */
  apiClientLimiter: Pick<RateLimiter, 'take'>;
  tokens: Pick<LicenseTokenSettings, 'backdateSeconds'>;
}

/**
 * Releases a playback session. Releasing a known id stores nothing. An unknown id is remembered, because its create may still be
 * in transit. To bound that storage, a token can add only its own id, and for API clients each unknown id counts as a call.
 * `clientId`: the calling API client; null for a player.
 */
export async function releaseOrRemember(
  { slots, apiClientLimiter, tokens }: ReleaseParts,
  { session, token }: CalledSession,
  clientId: string | null,
  reason: 'ended' | 'terminated',
): Promise<void> {
  const call = { reservationId: token?.reservationId ?? null, reason, ...session };
  if ((await slots.release(call)) !== 'unknown') return;
  if (clientId !== null && apiClientLimiter.take(clientId) !== undefined) return;
  if (await isRemembered(slots, session, token && latestEnd(token, tokens.backdateSeconds))) return;
  // The session was created in the meantime, or may have been, just before Redis was full.
  await slots.release(call);
}

/** The latest time that the session of a token can end. */
function latestEnd({ notBefore }: LicenseToken, backdateSeconds: number): Date {
  return new Date(notBefore.getTime() + backdateSeconds * 1000 + longestSessionMilliseconds);
}

/** Returns whether the id is now remembered. A full Redis remembers no new ids. */
async function isRemembered(
  slots: ReleaseParts['slots'],
  session: CalledSession['session'],
  until: Date | null,
): Promise<boolean> {
  try {
    return (await slots.remember(session, until)) === 'remembered';
  } catch (error) {
    if (isRedisFull(error)) return false;
    throw error;
  }
}
