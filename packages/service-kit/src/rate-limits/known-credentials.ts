import { LRUCache } from 'lru-cache';
import { atMost } from '../cache-bound';
import { hashOfCredential } from './hash-of-credential';

/** How many credentials are remembered; beyond that, the least recently used are forgotten. */
const maximumCredentials = 50_000;

/**
 * Remembers, by hash and in this process only, which credentials were valid when last used and who owns them. This
 * grants no access: it separates known callers from possible guessers before anything is looked up for them.
 */
export class KnownCredentials<Owner extends object> {
  private readonly owners = new LRUCache<string, Owner>(atMost(maximumCredentials));

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
