import { deploymentDocument, publishedKeys, readDocument } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';

/** The generation of Redis: the publisher gives an emptied one another. */
export class RedisGeneration {
  private known: string | undefined;

  constructor(private readonly redis: RedisClient) {}

  /** Resolves to whether Redis was emptied since the last call. Rejects if it is unavailable. */
  async hasChanged(): Promise<boolean> {
    const text = await this.redis.hget(publishedKeys.deployment, 'document');
    const present = readDocument(deploymentDocument, text)?.generation;
    if (present === undefined || present === this.known) return false;
    const before = this.known;
    this.known = present;
    return before !== undefined;
  }
}
