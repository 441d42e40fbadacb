import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Credentials remembered at once; of more, those not seen for longest are forgotten. */
const maximumCredentials = 50_000;

/**
 * Which credentials were valid when they last came, and whose they are, in the memory of this process and by their hash.
 * It opens nothing: it tells callers with a name from those who may be guessing, before anything is looked up for them.
 */
export class KnownCredentials<Owner extends object> {
  private readonly owners = new LRUCache<string, Owner>({ max: maximumCredentials });

  ownerOf(credential: string): Owner | undefined {
    return this.owners.get(hashOf(credential));
  }

  remember(credential: string, owner: Owner): void {
    this.owners.set(hashOf(credential), owner);
  }

  forget(credential: string): void {
    this.owners.delete(hashOf(credential));
  }
}

const hashOf = (credential: string): string => createHash('sha256').update(credential, 'utf8').digest('base64');
