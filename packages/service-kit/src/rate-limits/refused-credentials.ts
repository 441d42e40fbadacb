import { hashOfCredential } from './hash-of-credential';
import { type RateLimiter, rateLimited } from './rate-limiter';

interface RefusedCredentialsOptions {
  /** Of one credential, or one client id, from one address. */
  perCredential: RateLimiter;
  /** Of an address with all credentials that it sends, so that made-up ones bring no calls of their own. */
  perAddress: RateLimiter;
}

/**
 * Counts calls whose credentials were refused. One credential that went bad uses up its own calls, and leaves those of its
 * address to others; ask before anything is looked up for a credential that is not known.
 */
export class RefusedCredentials {
  constructor(private readonly options: RefusedCredentialsOptions) {}

  /** Throws `rate_limited` where the credential, or its address, has been refused too often. */
  requireLeft(credential: string, address: string): void {
    const { perCredential, perAddress } = this.options;
    const seconds = perCredential.wait(pairOf(credential, address)) ?? perAddress.wait(address);
    if (seconds !== undefined) throw rateLimited(seconds);
  }

  /** Counts a refused call. Throws `rate_limited` where it is one too many. */
  count(credential: string, address: string): void {
    const { perCredential, perAddress } = this.options;
    const seconds = perCredential.take(pairOf(credential, address)) ?? perAddress.take(address);
    if (seconds !== undefined) throw rateLimited(seconds);
  }
}

const pairOf = (credential: string, address: string): string => `${address} ${hashOfCredential(credential)}`;
