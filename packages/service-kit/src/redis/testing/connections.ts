import type { Logger } from '../../logger';
import { parseSettings } from '../../settings';
import type { RedisClient } from '../primaries';
import { createRedisClient, createRedisSubscriber } from '../redis-client';
import { redisSettings } from '../redis-servers';

/** A logger that keeps messages, except those of the level debug. */
export function messageLogger(): { logger: Logger; logged: string[] } {
  const logged: string[] = [];
  const log = (message: string) => void logged.push(message);
  return { logger: { error: log, warn: log, info: log, debug: () => undefined }, logged };
}

/** Resolves when a client is connected. */
export async function ready(client: RedisClient): Promise<void> {
  while (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve));
}

/** Connects a client and a subscriber by the settings of a service; `logged` has the messages of both. */
export async function connectBoth(
  settings: Record<string, string>,
): Promise<{ client: RedisClient; subscriber: RedisClient; logged: string[] }> {
  const { redis: servers } = parseSettings(redisSettings, settings);
  const { logger, logged } = messageLogger();
  const client = createRedisClient({ servers, name: 'test', logger });
  const subscriber = createRedisSubscriber({ servers, name: 'test-subscriber', logger });
  await Promise.all([client, subscriber].map(ready));
  return { client, subscriber, logged };
}
