import type { SecretKeysDocument } from '@multi-drm/contracts';
import {
  canDecryptProbe,
  keyIdsOf,
  type Logger,
  type Metrics,
  type RedisClient,
  readSecretKeyProbes,
  type SecretKey,
  Secrets,
} from '@multi-drm/service-kit';
import type { RereadingCatalog } from './catalog';

interface SecretKeysCheckOptions {
  redis: RedisClient;
  /** `SECRET_KEYS`. */
  keys: readonly SecretKey[];
  catalog: Pick<RereadingCatalog, 'somethingIsPublished'>;
  logger: Pick<Logger, 'error' | 'info'>;
}

/**
 * Compares `SECRET_KEYS` with those of the control plane. The control plane publishes one text for each of its keys, encrypted with that
 * key. This process must be able to decrypt one of them, not all: during a rotation, not every process has every key. If no texts are
 * published, nothing is compared.
 */
export class SecretKeysCheck {
  private readonly secrets: Secrets;
  /**
   * Whether the keys have matched before. The process then stays ready, so that a wrong change at the control plane does not stop playback.
   */
  private accepted = false;
  private differ = false;

  constructor(private readonly options: SecretKeysCheckOptions) {
    this.secrets = new Secrets(options.keys);
  }

  /** Compares the keys at each new connection from now on, so that a difference is logged even if nobody asks for readiness. */
  start(): void {
    // The reason of a rejection is logged by the check or by the client.
    this.options.redis.on('ready', () => void this.check().catch(() => undefined));
    if (this.options.redis.status === 'ready') void this.check().catch(() => undefined);
  }

  /** The readiness check of a process that has just started: rejects while the keys differ. */
  readonly check = async (): Promise<void> => {
    if (this.accepted) {
      // Read only to log a change. Other checks find a Redis that does not answer, and in a cluster this reads only one server.
      await this.readDiffer().catch(() => undefined);
      return;
    }
    // Read before the texts, which the control plane publishes before anything else.
    const isPublished = await this.options.catalog.somethingIsPublished();
    if (await this.readDiffer()) throw new Error('SECRET_KEYS differ from those of the control plane');
    this.accepted = isPublished;
  };

  /** Reads Redis. Returns whether the keys differ, and logs when that changes. */
  async readDiffer(): Promise<boolean> {
    const published = await readSecretKeyProbes(this.options.redis);
    const differ = published !== null && !canDecryptProbe(this.secrets, published);
    if (differ !== this.differ) this.logChange(differ, published);
    this.differ = differ;
    return differ;
  }

  private logChange(differ: boolean, published: SecretKeysDocument | null): void {
    const { keys, logger } = this.options;
    if (!differ) {
      logger.info('SECRET_KEYS are those of the control plane again');
      return;
    }
    // The ids of keys are not secret.
    const ids = { published: published && keyIdsOf(published), configured: keys.map(({ id }) => id) };
    logger.error(
      'SECRET_KEYS cannot decrypt the secrets of the control plane: set the same value at both services',
      ids,
    );
  }
}

/** Adds a gauge that shows whether the keys differ, read at each scrape. */
export function addSecretKeysGauge(metrics: Pick<Metrics, 'addGauges'>, check: SecretKeysCheck): void {
  const help = 'Whether SECRET_KEYS cannot decrypt the secrets of the control plane, so that licenses fail: 1 or 0.';
  metrics.addGauges({ multi_drm_secret_keys_differ: help }, async () => ({
    multi_drm_secret_keys_differ: (await check.readDiffer()) ? 1 : 0,
  }));
}
