import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { startRedisSentinel, type TestRedisSentinel } from '@multi-drm/test-kit';
import { createLogger } from '../logger';
import { parseSettings } from '../settings';
import type { RedisClient } from './primaries';
import { createRedisClient } from './redis-client';
import { isRedisUnavailable, wasNeverSent } from './redis-errors';
import { redisSettings } from './redis-servers';
import { connectBoth, ready } from './testing/connections';

let servers: TestRedisSentinel;
let client: RedisClient;
let subscriber: RedisClient;
let logged: string[];

beforeAll(async () => {
  servers = await startRedisSentinel({ secured: true, promotesAfterMilliseconds: 1_500 });
  ({ client, subscriber, logged } = await connectBoth(servers.settings));
});
afterAll(async () => {
  client.disconnect();
  subscriber.disconnect();
  await servers.stop();
});

test('the primary is found by Sentinels, with encryption, users and passwords, though the first Sentinel is down', async () => {
  await client.set('key', 'value');
  expect(await servers.ask(servers.primary, 'GET key')).toContain('value');
  const connections = await servers.ask(servers.primary, 'CLIENT LIST');
  expect(connections).toMatch(/ name=test .* user=services /);
});

test('a refused password is reported without it', async () => {
  const { redis } = parseSettings(redisSettings, { ...servers.settings, REDIS_PASSWORD: 'wrong-password' });
  const output = new PassThrough();
  const refused = createRedisClient({
    servers: redis,
    name: 'refused',
    logger: createLogger({ service: 'test', level: 'debug', stream: output }),
  });
  const line = String((await once(output, 'data'))[0]);
  refused.disconnect();
  expect(line).toMatch(/WRONGPASS.*Redis is unreachable/);
  expect(line).not.toMatch(/wrong-password/);
});

test('after a failover, both connections are to the new primary; until then, commands fail at once', async () => {
  const failures: unknown[] = [];
  logged.length = 0;
  servers.primary.child.process.kill('SIGKILL');
  for (let done = false; !done; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const since = performance.now();
    done = await client.set('key', 'later').then(
      () => true,
      (error: unknown) => {
        failures.push(error);
        return false;
      },
    );
    if (!done) expect(performance.now() - since).toBeLessThan(1_000);
  }
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.every(isRedisUnavailable)).toBe(true);
  expect(failures.some(wasNeverSent)).toBe(true);
  expect(await servers.ask(servers.replica, 'GET key')).toContain('later');
  await ready(subscriber);
  const received = new Promise((resolve) => subscriber.once('message', (_, message) => resolve(message)));
  await subscriber.subscribe('news');
  await client.publish('news', 'promoted');
  expect(await received).toBe('promoted');
  // One line of each client when the outage began, and one when it ended.
  expect(logged.sort()).toEqual([
    'Redis is connected',
    'Redis is connected',
    'Redis is unreachable',
    'Redis is unreachable',
  ]);
});
