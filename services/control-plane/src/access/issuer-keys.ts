import type { Logger } from '@multi-drm/service-kit';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { CannotVerify } from '../admission/cannot-verify';

/** Finds the key of an issuer for the header of a token. */
export type FindKey = ReturnType<typeof createLocalJWKSet>;

/** Keys older than this are fetched again. Durations are in milliseconds. */
const keysLifetime = 600_000;

/** Keys stay usable until this age while fetching them fails. */
const longestUse = 86_400_000;

/** The pause after a fetch. It doubles with each failure that follows another. */
const shortestCooldown = 5_000;
const longestCooldown = 60_000;

/** The keys of an issuer cannot be fetched at the moment. */
export class IssuerUnreachable extends CannotVerify {
  constructor(
    issuer: string,
    /** When the next fetch is due. */
    readonly retryAfterSeconds: number,
    cause: unknown,
  ) {
    super(`the keys of ${issuer} cannot be fetched`, { cause });
    this.name = 'IssuerUnreachable';
  }
}

interface IssuerKeysOptions {
  issuer: string;
  /** Reads the issuer's documents. */
  fetch: () => Promise<JSONWebKeySet>;
  /** Milliseconds of a clock that is never set. */
  monotonicNow: () => number;
  logger: Pick<Logger, 'warn'>;
}

/**
 * The keys of one issuer. There is at most one fetch at a time, and a pause after each, whatever callers send and however the fetch ends:
 * anybody can send tokens that name the issuer.
 */
export class IssuerKeys {
  private held: { find: FindKey; fetchedAt: number } | undefined;
  private fetching: Promise<void> | undefined;
  private nextFetchAt = Number.NEGATIVE_INFINITY;
  /** Fetches that have failed since the last success. */
  private failures = 0;
  private lastFailure: unknown;

  constructor(private readonly options: IssuerKeysOptions) {}

  /** The keys to verify a token with. Throws `IssuerUnreachable`. */
  async current(): Promise<FindKey> {
    if (this.age() >= keysLifetime) await this.refresh(this.age() < longestUse);
    if (this.held === undefined || this.age() >= longestUse) throw this.unreachable();
    return this.held.find;
  }

  /**
   * The keys to try if none of the others fits a token; null if there are no newer ones. Throws `IssuerUnreachable` if that is not known
   * because fetching fails.
   */
  async newerThan(tried: FindKey): Promise<FindKey | null> {
    if (this.held?.find === tried) await this.refresh(false);
    if (this.held !== undefined && this.held.find !== tried) return this.held.find;
    if (this.failures > 0) throw this.unreachable();
    return null;
  }

  private age(): number {
    return this.held === undefined ? Number.POSITIVE_INFINITY : this.options.monotonicNow() - this.held.fetchedAt;
  }

  /**
   * Fetches the keys unless a pause is in progress. After a failure, only the call that starts the next fetch waits for it, and only if it
   * cannot continue without: an issuer that never answers must not delay all calls again and again.
   */
  private async refresh(canGoOnWithout: boolean): Promise<void> {
    const begins = this.fetching === undefined;
    if (begins) {
      if (this.options.monotonicNow() < this.nextFetchAt) return;
      this.fetching = this.fetchOnce();
    }
    if (this.failures === 0 || (begins && !canGoOnWithout)) await this.fetching;
  }

  /** Never rejects. */
  private async fetchOnce(): Promise<void> {
    const { issuer, fetch, monotonicNow, logger } = this.options;
    try {
      const find = createLocalJWKSet(await fetch());
      this.held = { find, fetchedAt: monotonicNow() };
      this.failures = 0;
      this.nextFetchAt = monotonicNow() + shortestCooldown;
    } catch (error) {
      const cooldown = Math.min(shortestCooldown * 2 ** this.failures, longestCooldown);
      this.failures += 1;
      this.lastFailure = error;
      this.nextFetchAt = monotonicNow() + cooldown;
      logger.warn('the keys of an identity provider could not be fetched', {
        issuer,
        retrySeconds: cooldown / 1000,
        olderKeysAreUsed: this.age() < longestUse,
        error,
      });
    }
    this.fetching = undefined;
  }

  private unreachable(): IssuerUnreachable {
    const seconds = Math.ceil((this.nextFetchAt - this.options.monotonicNow()) / 1000);
    return new IssuerUnreachable(this.options.issuer, Math.max(1, seconds), this.lastFailure);
  }
}
