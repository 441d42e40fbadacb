import { LRUCache } from 'lru-cache';
import { hashOfCredential } from './hash-of-credential';

/** Credentials remembered at once; of more, those not seen for longest are forgotten. */
const maximumCredentials = 50_000;

/**
 * Which credentials were valid when they last came, and whose they are, in the memory of this process and by their hash.
 * It opens nothing: it tells callers with a name from those who may be guessing, before anything is looked up for them.
 */
export class KnownCredentials<Owner extends object> {
  private readonly owners = new LRUCache<string, Owner>({ max: maximumCredentials });

  ownerOf(credential: string): Owner | undefined {
    return this.owners.get(hashOfCredential(credential));
  }

  remember(credential: string, owner: Owner): void {
    this.owners.set(hashOfCredential(credential), owner);
  }

  forget(credential: string): void {
    this.owners.delete(hashOfCredential(credential));
  }
}
