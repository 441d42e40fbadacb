import type { Redis } from 'ioredis';
import type { Logger } from '../logger';
import { primariesOf, type RedisClient } from './primaries';

/** A setting of Redis that both services depend on. */
interface Requirement {
  name: string;
  value: string;
  /** What to do where it has another value. */
  warning: string;
  /** What was left unchecked where Redis does not tell. */
  unchecked: string;
}

/** Logs a warning for each server that has another value, when Redis first becomes ready. */
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
