import { type RedisServer, startRedisSentinel, type TestRedisSentinel } from '@multi-drm/test-kit';
import { parseSettings } from '../settings';
import { NamedPrimary, primariesNamedBy } from './named-primary';
import type { RedisClient } from './primaries';
import { createRedisClient } from './redis-client';
import { redisSettings } from './redis-servers';
import { messageLogger, ready } from './testing/connections';

/** Sentinels that name these primaries, and a clock. */
function askedAt(named: string[]) {
  let asked = 0;
  const clock = { now: 0 };
  const primary = new NamedPrimary({
    ask: async () => {
      asked += 1;
      return named;
    },
    now: () => clock.now,
  });
  primary.note('10.0.0.1:6379');
  return { primary, clock, timesAsked: () => asked };
}

test.each([
  [['10.0.0.1:6379'], false],
  [['10.0.0.2:6379'], true],
  [['10.0.0.1:6380'], true],
  [['10.0.0.1:6379', '10.0.0.2:6379', '10.0.0.2:6379'], true],
  [['10.0.0.1:6379', '10.0.0.1:6379', '10.0.0.2:6379'], false],
  [['10.0.0.1:6379', '10.0.0.2:6379'], false],
  [[], false],
])('where Sentinels name %j, the primary 10.0.0.1:6379 is replaced: %s', async (named, replaced) => {
  expect(await askedAt(named).primary.isReplaced()).toBe(replaced);
});

test('Sentinels are asked once a second, however many writes are refused', async () => {
  const { primary, clock, timesAsked } = askedAt(['10.0.0.2:6379']);
  const answers = await Promise.all([1, 2, 3].map(() => primary.isReplaced()));
  expect(answers).toEqual([true, false, false]);
  clock.now = 999;
  expect(await primary.isReplaced()).toBe(false);
  expect(timesAsked()).toBe(1);
  clock.now = 1_000;
  expect(await primary.isReplaced()).toBe(true);
  expect(timesAsked()).toBe(2);
});

test('a client that has reconnected while Sentinels were asked stays where it is', async () => {
  const { primary } = askedAt(['10.0.0.2:6379']);
  const answer = primary.isReplaced();
  primary.note('10.0.0.2:6379');
  expect(await answer).toBe(false);
});

describe('with Sentinels', () => {
  let servers: TestRedisSentinel;
  let client: RedisClient | undefined;
  afterEach(async () => {
    client?.disconnect();
    await servers.link?.close();
    await servers.stop();
  });

  const connect = async (onReplaced: () => void) => {
    const { redis } = parseSettings(redisSettings, servers.settings);
    const { logger, logged } = messageLogger();
    const connected = createRedisClient({ servers: redis, name: 'test', logger, onReplaced });
    client = connected;
    await ready(connected);
    return { client: connected, logged };
  };

  test('with encryption and passwords, those that can be reached name the primary', async () => {
    servers = await startRedisSentinel({ secured: true });
    const { redis } = parseSettings(redisSettings, servers.settings);
    if (redis.kind !== 'sentinel') throw new Error('the settings name no Sentinels');
    expect(await primariesNamedBy(redis)).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
  });

  test('a primary that lacks replicas is kept while Sentinels name it', async () => {
    servers = await startRedisSentinel({ directives: ['min-replicas-to-write 2'] });
    const { client, logged } = await connect(() => undefined);
    const connection = await client.client('ID');
    let ownQuestions = 0;
    const questions = async () => {
      ownQuestions += 1;
      const stats = await servers.ask(servers.sentinel, 'INFO stats');
      return Number(/total_connections_received:(\d+)/.exec(stats)?.[1]) - ownQuestions;
    };
    const enough = (await questions()) + 2;
    while ((await questions()) < enough) {
      await expect(client.set('key', 'value')).rejects.toThrow('NOREPLICAS');
    }
    expect(await client.client('ID')).toBe(connection);
    expect(logged).toEqual(['Redis is connected']);
  });

  test('a primary that is cut off from its replicas and the Sentinel, but not from clients, is left for the promoted one', async () => {
    servers = await startRedisSentinel({
      behindLink: true,
      replicas: 2,
      promotesAfterMilliseconds: 1_500,
      directives: ['min-replicas-to-write 1', 'min-replicas-max-lag 2'],
    });
    const { sentinel, replicas, primary, link } = servers;
    let replaced = 0;
    const { client } = await connect(() => {
      replaced += 1;
    });
    const [id] = /[0-9a-f]{8}/.exec(await servers.ask(sentinel, 'SENTINEL MYID')) ?? [];
    link?.silence('listening-port', `sentinel-${id}-cmd`, `sentinel-${id}-pubsub`);
    const has = async (server: RedisServer) => (await servers.ask(server, 'GET key')).includes('value');
    const written = async () => (await Promise.all(replicas.map(has))).includes(true);
    while (!(await written())) {
      // Refused until a server is promoted and has a replica.
      await client.set('key', 'value').catch(() => undefined);
    }
    expect(replaced).toBe(1);
    expect(await servers.ask(primary, 'ROLE')).toContain('master');
  });
});
