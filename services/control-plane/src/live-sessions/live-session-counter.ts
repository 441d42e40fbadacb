import { bucketHashTag, bucketsOfEnvironment, liveSessionsKey, Problem } from '@multi-drm/contracts';
import { isRedisUnavailable } from '@multi-drm/service-kit';
import type { Redis } from 'ioredis';

/** Seconds until a count that failed is worth another try. */
const retrySeconds = 5;

/** Counts the sessions that hold a slot, in the lists that playback keeps in Redis. */
export class LiveSessionCounter {
  /** The client's time-out for a command bounds the count of each environment. */
  constructor(private readonly redis: Redis) {}

  /**
   * How many sessions of these environments hold a slot, by the clock of Redis: 256 lists an environment, each counted in
   * logarithmic time. No atomic step: a session that starts meanwhile may be missed. Throws `service_unavailable`.
   */
  async count(environmentIds: string[]): Promise<number> {
    try {
      const [seconds, microseconds] = await this.redis.time();
      const now = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
      let sum = 0;
      // One after the other, so that a project of hundreds of environments keeps no other request waiting.
      for (const id of environmentIds) sum += await this.countEnvironment(id, now);
      return sum;
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      const detail =
        'Active sessions cannot be counted for now. Try again later, or send cascade=true to archive without a count.';
      const headers = { 'Retry-After': String(retrySeconds) };
      throw new Problem('service_unavailable', detail, { headers, cause: error });
    }
  }

  /** `now`: milliseconds since 1970. A slot whose time is over may still lie in its list, and does not count. */
  private async countEnvironment(environmentId: string, now: number): Promise<number> {
    const pipeline = this.redis.pipeline();
    for (let bucket = 0; bucket < bucketsOfEnvironment; bucket += 1) {
      pipeline.zcount(liveSessionsKey(bucketHashTag(environmentId, bucket)), `(${now}`, '+inf');
    }
    const replies = (await pipeline.exec()) ?? [];
    return replies.reduce((sum, [error, count]) => {
      if (error !== null) throw error;
      return sum + Number(count);
    }, 0);
  }
}
