import { activeSessionsKey, bucketHashTag, bucketsOfDeployment, Problem } from '@multi-drm/contracts';
import { isRedisUnavailable, type RedisClient } from '@multi-drm/service-kit';

/** `Retry-After` in seconds after a failed count. */
const retrySeconds = 5;

/** How many lists are counted at once; a divisor of 1,024. More would let the last one wait for long. */
const listsAtOnce = 128;

/** Counts active sessions in the lists that playback keeps in Redis. */
export class ActiveSessionCounter {
  /** The client's command timeout limits the count of each environment. */
  constructor(private readonly redis: RedisClient) {}

  /**
   * The number of active sessions of these environments, by the clock of Redis: 1,024 lists per environment, each counted
   * in logarithmic time. Not atomic: a session that starts meanwhile may be missed. Throws `service_unavailable`.
   */
  async count(environmentIds: string[]): Promise<number> {
    try {
      const [seconds, microseconds] = await this.redis.time();
      const now = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
      let sum = 0;
      // One after the other, so that a project with hundreds of environments does not delay other requests.
      for (const id of environmentIds) sum += await this.countEnvironment(id, now);
      return sum;
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      const detail =
        'Active sessions cannot currently be counted. Try again later, or send cascade=true to archive without a count.';
      const headers = { 'Retry-After': String(retrySeconds) };
      throw new Problem('service_unavailable', detail, { headers, cause: error });
    }
  }

  /** `now`: milliseconds since 1970. A slot that has expired may still be in its list but does not count. */
  private async countEnvironment(environmentId: string, now: number): Promise<number> {
    let sum = 0;
    for (let first = 0; first < bucketsOfDeployment; first += listsAtOnce) {
      const counts = await Promise.all(
        Array.from({ length: listsAtOnce }, (_, index) =>
          this.redis.zcount(activeSessionsKey(bucketHashTag(first + index), environmentId), `(${now}`, '+inf'),
        ),
      );
      sum = counts.reduce((total, count) => total + count, sum);
    }
    return sum;
  }
}
