import { apiClientUsesKey } from '@multi-drm/contracts';
import { isRedisUnavailable, type Logger, type RedisClient } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import { isDatabaseUnavailable } from '../database/database-unavailable';

const pageSize = '1000';
/**
 * How long Redis keeps a use after it was collected, in milliseconds: playback records each client again every minute.
 */
const keptInRedis = 3_600_000;

interface CollectorOptions {
  prisma: Database;
  redis: RedisClient;
  logger: Logger;
  intervalMilliseconds?: number;
}

/**
 * Copies the last-used times of API clients, which playback records in Redis, to the database. Any number of instances
 * may run at once.
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

  /** `found`: client id, milliseconds since 1970, client id, and so on. */
  private async store(found: string[]): Promise<void> {
    const clientIds = found.filter((_, index) => index % 2 === 0);
    const times = found.filter((_, index) => index % 2 === 1).map((score) => new Date(Number(score)));
    if (clientIds.length === 0) return;
    // In a fixed order and skipping rows that another transaction has locked, so that no transaction blocks another.
    await this.options.prisma.$executeRaw`
      WITH later AS (
        SELECT api_client.id, used.at
        FROM api_client
        JOIN unnest(${clientIds}::text[], ${times.map((time) => time.toISOString())}::text[]::timestamptz[])
          AS used (client_id, at) ON used.client_id = api_client.client_id
        WHERE api_client.last_used_at IS NULL OR api_client.last_used_at < used.at
        ORDER BY api_client.id
        FOR NO KEY UPDATE OF api_client SKIP LOCKED
      )
      UPDATE api_client SET last_used_at = later.at FROM later WHERE api_client.id = later.id`;
  }
}
