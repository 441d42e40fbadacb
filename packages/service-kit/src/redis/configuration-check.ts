import type { Redis } from 'ioredis';
import type { Logger } from '../logger';
import { primariesOf, type RedisClient } from './primaries';

/** A setting of Redis that both services depend on. */
interface Requirement {
  name: string;
  value: string;
  /** What the operator should do about a server with another value. */
  warning: string;
  /** What could not be checked on a server that does not show its settings. */
  unchecked: string;
}

/** When Redis first becomes ready, logs a warning for each server that has another value. */
export function warnUnlessConfigured(client: RedisClient, logger: Logger, requirement: Requirement): void {
  client.once('ready', () => {
    for (const primary of primariesOf(client)) void check(primary, logger, requirement);
  });
}

async function check(primary: Redis, logger: Logger, { name, value, warning, unchecked }: Requirement): Promise<void> {
  try {
    const reply: unknown = await primary.config('GET', name);
    const found: unknown = Array.isArray(reply) ? reply[1] : undefined;
    if (found !== value) logger.warn(warning, { [name]: found });
  } catch (error) {
    // Some proxies and hosted services refuse CONFIG.
    logger.warn(unchecked, { error });
  }
}
