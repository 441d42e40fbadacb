import { createHash } from 'node:crypto';
import { atMost } from '@multi-drm/service-kit';
import { LRUCache } from 'lru-cache';

/** How many tokens are remembered, which takes some 15 MB. */
const maximumTokens = 100_000;

/** Identifies a token: with any other character, the digest is another one. Nobody can call with it. */
export type TokenDigest = string;

/** SHA-256 of a token. */
export function digestOf(token: string): TokenDigest {
  return createHash('sha256').update(token).digest('base64');
}

/**
 * The tokens that this process has signed, or has verified before, so that it need not verify their signatures again: a signature takes
 * a third of the time of a release. It is part of the settings of tokens, because what is known only holds for the same keys, issuer and
 * audience.
 */
export class KnownTokens {
  private readonly digests = new LRUCache<TokenDigest, true>(atMost(maximumTokens));

  has(digest: TokenDigest): boolean {
    return this.digests.get(digest) === true;
  }

  add(digest: TokenDigest): void {
    this.digests.set(digest, true);
  }
}
