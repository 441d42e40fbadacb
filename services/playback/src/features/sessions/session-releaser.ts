import { isRedisFull, type RateLimiter } from '@multi-drm/service-kit';
import type { SlotStore } from '../../slots/slot-store';
import type { LicenseToken, LicenseTokenSettings } from '../../tokens/license-token';
import type { CalledSession } from './session-caller';
import { longestSessionMilliseconds } from './session-times';

interface SessionReleaserOptions {
  slots: Pick<SlotStore, 'release' | 'remember'>;
  /** By client id: the limit of all calls of an API client. */
  apiClientLimiter: Pick<RateLimiter, 'take'>;
  tokens: Pick<LicenseTokenSettings, 'backdateSeconds'>;
}

/**
 * Releases playback sessions. The id of a session that has come costs nothing more. One that is unknown is remembered, since its
 * create may be on its way; so a token, which only a session can have had, is good for one id, and an API client has as
 * many as it has calls.
 */
export class SessionReleaser {
  constructor(private readonly options: SessionReleaserOptions) {}

  /** `clientId`: the API client that calls; null for a player. */
  async release(
    { session, token }: CalledSession,
    clientId: string | null,
    reason: 'ended' | 'terminated',
  ): Promise<void> {
    const { slots, apiClientLimiter } = this.options;
    const call = { ...session, reservationId: token?.reservationId ?? null, reason };
    if ((await slots.release(call)) !== 'unknown') return;
    if (clientId !== null && apiClientLimiter.take(clientId) !== undefined) return;
    if (await this.isRemembered(session, token && this.latestEnd(token))) return;
    // Its session has come meanwhile, or may have, just before Redis was full.
    await slots.release(call);
  }

  /** The latest that the session of a token can end. */
  private latestEnd({ notBefore }: LicenseToken): Date {
    return new Date(notBefore.getTime() + this.options.tokens.backdateSeconds * 1000 + longestSessionMilliseconds);
  }

  /** Whether it is, from now on; a full Redis remembers nothing new. */
  private async isRemembered(session: CalledSession['session'], until: Date | null): Promise<boolean> {
    try {
      return (await this.options.slots.remember(session, until)) === 'remembered';
    } catch (error) {
      if (isRedisFull(error)) return false;
      throw error;
    }
  }
}
