import { accessKeyDigestLength, apiClientUsesKey, parseApiClientUse } from '@multi-drm/contracts';
import { isRedisUnavailable, type Logger, type RedisClient } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import { isDatabaseUnavailable } from '../database/database-unavailable';

const pageSize = '1000';
/**
 * How long Redis keeps a use after it was collected, in milliseconds: playback records each key again every minute.
 */
const keptInRedis = 3_600_000;

interface CollectorOptions {
  prisma: Database;
  redis: RedisClient;
  logger: Logger;
  intervalMilliseconds?: number;
}

/**
 * Copies the last-used times of API clients and their access keys, which playback records in Redis, to the database.
 * Any number of instances may run at the same time.
 */
export class ApiClientUseCollector {
  private timer: NodeJS.Timeout | undefined;
  private collecting: Promise<void> = Promise.resolve();

  constructor(private readonly options: CollectorOptions) {}

  start(): void {
    const { intervalMilliseconds = 60_000 } = this.options;
    this.timer = setInterval(() => {
      this.collecting = this.collecting.then(() => this.tryToCollect());
    }, intervalMilliseconds);
  }

  /** Collects once more and stops. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.collecting;
    await this.tryToCollect();
  }

  /** Copies what Redis holds. A time in the database never goes backwards. */
  async collect(): Promise<void> {
    const { redis } = this.options;
    const [seconds] = await redis.time();
    let cursor = '0';
    do {
      const [next, found] = await redis.zscan(apiClientUsesKey, cursor, 'COUNT', pageSize);
      await this.store(found);
      cursor = next;
    } while (cursor !== '0');
    // A scan returns every entry that exists throughout it, so nothing is removed without being copied.
    await redis.zremrangebyscore(apiClientUsesKey, '-inf', Number(seconds) * 1_000 - keptInRedis);
  }

  private async tryToCollect(): Promise<void> {
    try {
      await this.collect();
    } catch (error) {
      // Outages are logged elsewhere; the next round finds the same uses and later ones.
      if (isRedisUnavailable(error) || isDatabaseUnavailable(error)) {
        this.options.logger.debug('uses of API clients cannot be collected at the moment', { error });
      } else {
        this.options.logger.error('uses of API clients cannot be collected', { error });
      }
    }
  }

  /** `found`: use of an access key, milliseconds since 1970, use, and so on. */
  private async store(found: string[]): Promise<void> {
    const uses = found.filter((_, index) => index % 2 === 0).map(parseApiClientUse);
    const times = found.filter((_, index) => index % 2 === 1).map((score) => new Date(Number(score)).toISOString());
    if (uses.length === 0) return;
    const clientIds = uses.map(({ clientId }) => clientId);
    const digests = uses.map(({ accessKeyDigest }) => accessKeyDigest);
    // In a fixed order and skipping rows that another transaction has locked, so that no transaction blocks another.
    await this.options.prisma.$executeRaw`
      WITH used AS (
        SELECT * FROM unnest(${clientIds}::text[], ${digests}::text[], ${times}::text[]::timestamptz[])
          AS used (client_id, digest, at)
      ), locked AS (
        SELECT id, client_id,
          left(access_key_hash, ${accessKeyDigestLength}::integer) AS digest,
          left(previous_access_key_hash, ${accessKeyDigestLength}::integer) AS previous_digest
        FROM api_client
        WHERE client_id = ANY(${clientIds}::text[]) AND EXISTS (
          SELECT FROM used WHERE used.client_id = api_client.client_id AND (
            used.at > coalesce(last_used_at, '-infinity')
            OR (used.digest = left(access_key_hash, ${accessKeyDigestLength}::integer)
              AND used.at > coalesce(access_key_last_used_at, '-infinity'))
            OR (used.digest = left(previous_access_key_hash, ${accessKeyDigestLength}::integer)
              AND used.at > coalesce(previous_access_key_last_used_at, '-infinity'))))
        ORDER BY id
        FOR NO KEY UPDATE OF api_client SKIP LOCKED
      ), latest AS (
        SELECT locked.id, max(used.at) AS at,
          max(used.at) FILTER (WHERE used.digest = locked.digest) AS key_at,
          max(used.at) FILTER (WHERE used.digest = locked.previous_digest) AS previous_key_at
        FROM locked JOIN used USING (client_id) GROUP BY locked.id
      )
      UPDATE api_client SET
        last_used_at = greatest(last_used_at, latest.at),
        access_key_last_used_at = greatest(access_key_last_used_at, latest.key_at),
        previous_access_key_last_used_at = greatest(previous_access_key_last_used_at, latest.previous_key_at)
      FROM latest WHERE api_client.id = latest.id`;
  }
}
