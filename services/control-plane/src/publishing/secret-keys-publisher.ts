import { publishedKeys } from '@multi-drm/contracts';
import {
  canDecryptProbe,
  keyIdsOf,
  type Logger,
  type RedisClient,
  readSecretKeyProbes,
  type SecretKey,
  Secrets,
  secretKeyProbes,
} from '@multi-drm/service-kit';

interface SecretKeysPublisherOptions {
  redis: RedisClient;
  /** `SECRET_KEYS`. */
  keys: readonly SecretKey[];
  logger: Pick<Logger, 'warn'>;
  /** Time until an attempt that failed is repeated; a second if absent. */
  retryMilliseconds?: number;
}

/**
 * Publishes texts by which playback finds out whether it has the same `SECRET_KEYS`: whenever a connection to Redis is made, which may
 * have an older copy of its data, and when Redis was emptied.
 */
export class SecretKeysPublisher {
  private retry: NodeJS.Timeout | undefined;
  /** Attempts that have failed since the last success. */
  private failures = 0;
  private stopped = false;

  constructor(private readonly options: SecretKeysPublisherOptions) {}

  /** Publishes at each new connection from now on. */
  start(): void {
    this.options.redis.on('ready', () => void this.publish());
    if (this.options.redis.status === 'ready') void this.publish();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
  }

  /**
   * Publishes now; without keys, removes what others have published. Resolves after the first attempt, and goes on in the background if
   * that failed. Never rejects: meanwhile playback does not compare its keys.
   */
  async publish(): Promise<void> {
    clearTimeout(this.retry);
    try {
      await this.write();
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      // A process that has just started may be too slow for its first commands.
      if (this.failures === 2) {
        this.options.logger.warn('playback cannot be told by which SECRET_KEYS secrets are encrypted', { error });
      }
      if (this.stopped) return;
      this.retry = setTimeout(() => void this.publish(), this.options.retryMilliseconds ?? 1_000).unref();
    }
  }

  private async write(): Promise<void> {
    const { redis, keys, logger } = this.options;
    const key = publishedKeys.secretKeys;
    const present = await readSecretKeyProbes(redis);
    if (keys.length === 0) await redis.del(key);
    else await redis.hset(key, { document: JSON.stringify(secretKeyProbes(keys)) });
    if (present !== null && !canDecryptProbe(new Secrets(keys), present)) {
      logger.warn(
        'SECRET_KEYS has none of the keys that a control plane has published: unless you have replaced them all, ' +
          'set the same at every instance of both services',
        { published: keyIdsOf(present), configured: keys.map(({ id }) => id) },
      );
    }
  }
}
