import { hash } from 'node:crypto';
import { atMost } from '@multi-drm/service-kit';
import { LRUCache } from 'lru-cache';

/** Some 15 MB. */
const defaultMaximum = 100_000;

/** Identifies a token: with any other character, the digest is another one. Nobody can call with it. */
export type TokenDigest = string;

/** SHA-256 of a token in UTF-8. */
export function digestOf(token: string): TokenDigest {
  return hash('sha256', token, 'base64');
}

/**
 * The tokens that this process has signed or verified, the last ones up to a maximum. It does not verify their signatures again, which
 * takes about half of the time of a release.
 */
export class KnownTokens {
  private readonly digests: LRUCache<TokenDigest, true>;

  constructor(maximum = defaultMaximum) {
    this.digests = new LRUCache(atMost(maximum));
  }

  has(digest: TokenDigest): boolean {
    return this.digests.get(digest) === true;
  }

  add(digest: TokenDigest): void {
    this.digests.set(digest, true);
  }
}
