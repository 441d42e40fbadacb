import { hashOfCredential } from './hash-of-credential';
import { type RateLimiter, rateLimited } from './rate-limiter';

interface RefusedCredentialsOptions {
  /** Limits one credential, or one client id, per address. */
  perCredential: RateLimiter;
  /** Limits an address over all credentials that it sends, so that made-up ones gain no extra calls. */
  perAddress: RateLimiter;
}

/**
 * Counts calls with refused credentials. A credential that became invalid uses up only its own calls, not those of its
 * address. Call `requireLeft` before looking up an unknown credential.
 */
export class RefusedCredentials {
  constructor(private readonly options: RefusedCredentialsOptions) {}

  /** Throws `rate_limited` if the credential or its address has been refused too often. */
  requireLeft(credential: string, address: string): void {
    const { perCredential, perAddress } = this.options;
    const seconds = perCredential.wait(pairOf(credential, address)) ?? perAddress.wait(address);
    if (seconds !== undefined) throw rateLimited(seconds);
  }

  /** Throws `rate_limited` if the address has been refused too often. */
  requireAddressLeft(address: string): void {
    const seconds = this.options.perAddress.wait(address);
    if (seconds !== undefined) throw rateLimited(seconds);
  }

  /** Counts an invalid call without a credential for its address. */
  countAddress(address: string): void {
    this.options.perAddress.take(address);
  }

  /** Counts a refused call. Throws `rate_limited` if it exceeds the limit. */
  count(credential: string, address: string): void {
    const { perCredential, perAddress } = this.options;
    const seconds = perCredential.take(pairOf(credential, address)) ?? perAddress.take(address);
    if (seconds !== undefined) throw rateLimited(seconds);
  }
}

const pairOf = (credential: string, address: string): string => `${address} ${hashOfCredential(credential)}`;
