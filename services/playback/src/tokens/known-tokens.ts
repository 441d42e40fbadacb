import { atMost } from '@multi-drm/service-kit';
import { LRUCache } from 'lru-cache';

/** Some 15 MB. */
const defaultMaximum = 100_000;

/**
 * The tokens that this process has signed or verified, the last ones up to a maximum. It does not verify their signatures again, which
 * takes about half of the time of a release. Holds only their hashes (`hashOfCredential`), with which nobody can call.
 */
export class KnownTokens {
  private readonly hashes: LRUCache<string, true>;

  constructor(maximum = defaultMaximum) {
    this.hashes = new LRUCache(atMost(maximum));
  }

  has(hash: string): boolean {
    // Unlike its `has`, the cache's `get` notes the use.
    return this.hashes.get(hash) === true;
  }

  add(hash: string): void {
    this.hashes.set(hash, true);
  }
}
