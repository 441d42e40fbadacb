import type { Cluster, Redis } from 'ioredis';

/** Counts of calls that all processes share. */
export interface RateCounts {
  /** Adds to the count of a caller in a window, and resolves to the new count. */
  add(caller: string, window: number, calls: number, windowMilliseconds: number): Promise<number>;
}

/** Counts calls in Redis, separately for each kind; a count expires after twice its window. */
export class RedisRateCounts implements RateCounts {
  constructor(
    private readonly client: Redis | Cluster,
    private readonly kind: string,
  ) {}

  async add(caller: string, window: number, calls: number, windowMilliseconds: number): Promise<number> {
    const key = `rate-limit:${this.kind}:{${caller}}:${window}`;
    const [count] = await Promise.all([
      this.client.incrby(key, calls),
      this.client.pexpire(key, 2 * windowMilliseconds),
    ]);
    return count;
  }
}
