import { publishedKeys, secretKeysDocument } from '@multi-drm/contracts';
import {
  canDecryptProbe,
  keyIdsOf,
  type Logger,
  type RedisClient,
  type SecretKey,
  Secrets,
  secretKeyProbes,
} from '@multi-drm/service-kit';

interface SecretKeysPublisherOptions {
  redis: RedisClient;
  /** `SECRET_KEYS`. */
  keys: readonly SecretKey[];
  logger: Pick<Logger, 'warn'>;
}

/**
 * Publishes texts by which playback finds out whether it has the same `SECRET_KEYS`: whenever a connection to Redis is made, which may
 * have an older copy of its data, and when Redis was emptied.
 */
export class SecretKeysPublisher {
  constructor(private readonly options: SecretKeysPublisherOptions) {}

  /** Publishes at each new connection from now on. */
  start(): void {
    this.options.redis.on('ready', () => void this.publish());
    if (this.options.redis.status === 'ready') void this.publish();
  }

  /** Publishes now; without keys, removes what others have published. Never rejects: playback then does not compare its keys. */
  async publish(): Promise<void> {
    const { redis, keys, logger } = this.options;
    const key = publishedKeys.secretKeys;
    try {
      const present = secretKeysDocument.safeParse(fromJson(await redis.hget(key, 'document'))).data;
      if (present !== undefined && !canDecryptProbe(new Secrets(keys), present)) {
        logger.warn(
          'SECRET_KEYS has none of the keys that a control plane has published: unless you have replaced them all, ' +
            'set the same at every instance of both services',
          { published: keyIdsOf(present), configured: keys.map(({ id }) => id) },
        );
      }
      if (keys.length === 0) await redis.del(key);
      else await redis.hset(key, { document: JSON.stringify(secretKeyProbes(keys)) });
    } catch (error) {
      logger.warn('playback could not be told by which SECRET_KEYS secrets are encrypted', { error });
    }
  }
}

function fromJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null; // not a valid document: it is replaced
  }
}
