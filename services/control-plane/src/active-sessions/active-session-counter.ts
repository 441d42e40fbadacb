import { activeSessionsKey, bucketHashTag, bucketsOfDeployment, Problem } from '@multi-drm/contracts';
import { isRedisUnavailable, portions, type RedisClient } from '@multi-drm/service-kit';
import { Cluster, type Result } from 'ioredis';

/** `Retry-After` in seconds after a failed count. */
const retrySeconds = 5;

/**
 * How many lists one script counts, or how many scripts a cluster runs at the same time, each for one list, because its lists are on
 * several servers. With a thousand sessions in each list, a script takes half a millisecond. Redis reads at most two such scripts from a
 * connection before it turns to others.
 */
const listsAtOnce = 128;

/** Adds up the slots in its lists that have not expired, by the clock of the server. */
const countScript = `#!lua flags=no-writes
local seconds, microseconds = unpack(redis.call('TIME'))
local now = string.format('(%s%03d', seconds, math.floor(microseconds / 1000))
local sum = 0
for _, key in ipairs(KEYS) do
  sum = sum + redis.call('ZCOUNT', key, now, '+inf')
end
return sum`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Runs the script above. */
    countActiveSessions(numberOfKeys: number, ...keys: string[]): Result<number, Context>;
  }
}

/** Counts active sessions in the lists that playback keeps in Redis. */
export class ActiveSessionCounter {
  /** The client's command timeout limits each script. */
  constructor(private readonly redis: RedisClient) {
    redis.defineCommand('countActiveSessions', { lua: countScript });
  }

  /** The number of active sessions of environments that are to be archived; see `countOf`. Throws `service_unavailable`. */
  async count(environmentIds: string[]): Promise<number> {
    try {
      let sum = 0;
      // One after the other, so that a project with hundreds of environments does not delay other requests.
      for (const id of environmentIds) sum += await this.countOf(id);
      return sum;
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error;
      const detail =
        'Active sessions cannot currently be counted. Try again later, or send cascade=true to archive without a count.';
      const headers = { 'Retry-After': String(retrySeconds) };
      throw new Problem('service_unavailable', detail, { headers, cause: error });
    }
  }

  /**
   * The number of active sessions of an environment, by the clock of Redis: 1,024 lists, each counted in logarithmic time. A slot that has
   * expired may still be in its list but does not count. Not atomic: a session that starts meanwhile may be missed. Rejects if Redis is
   * unavailable.
   */
  async countOf(environmentId: string): Promise<number> {
    const keys = Array.from({ length: bucketsOfDeployment }, (_, bucket) =>
      activeSessionsKey(bucketHashTag(bucket), environmentId),
    );
    const together = portions(keys, listsAtOnce);
    if (!(this.redis instanceof Cluster)) return this.sumOf(together);
    let sum = 0;
    for (const batch of together) sum += await this.sumOf(portions(batch, 1));
    return sum;
  }

  /** Counts all portions at the same time, with a script for each. */
  private async sumOf(portionsOfKeys: string[][]): Promise<number> {
    const counts = await Promise.all(
      portionsOfKeys.map((keys) => this.redis.countActiveSessions(keys.length, ...keys)),
    );
    return counts.reduce((total, count) => total + count, 0);
  }
}
