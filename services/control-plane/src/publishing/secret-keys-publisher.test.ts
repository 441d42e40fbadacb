import { randomBytes } from 'node:crypto';
import { publishedKeys, secretKeysDocument } from '@multi-drm/contracts';
import { createRedisClient, keyIdsOf, type RedisClient, redisAt, type SecretKey } from '@multi-drm/service-kit';
import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import { eventually } from '../testing/eventually';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { connectToRedis, emptyRedis } from '../testing/redis';
import { openDatabase } from '../testing/test-database';
import { Publisher } from './publisher';
import { SecretKeysPublisher } from './secret-keys-publisher';

const keyNamed = (id: string): SecretKey => ({ id, key: randomBytes(32) });
const [first, second, third] = [keyNamed('first'), keyNamed('second'), keyNamed('third')];

let server: TestRedis;
let redis: RedisClient;
let log: LogEntry[];

beforeAll(async () => {
  server = await startRedis();
  redis = await connectToRedis({ REDIS_URL: server.url });
});
beforeEach(async () => {
  await emptyRedis(redis);
  log = [];
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const publisherWith = (...keys: SecretKey[]) => new SecretKeysPublisher({ redis, keys, logger: recordingLogger(log) });

/** The ids of the keys by which playback compares its own; null: it does not. */
async function publishedIds(): Promise<string[] | null> {
  const text = await redis.hget(publishedKeys.secretKeys, 'document');
  return text === null ? null : keyIdsOf(secretKeysDocument.parse(JSON.parse(text)));
}

test('a text is published for each key, and none without keys', async () => {
  await publisherWith(second, first).publish();
  expect(await publishedIds()).toEqual(['second', 'first']);
  await publisherWith().publish();
  expect(await publishedIds()).toBeNull();
});

test('a rotation in steps warns of nothing, and keys that have nothing in common with the former do', async () => {
  for (const keys of [[first], [first, second], [second, first], [second]]) await publisherWith(...keys).publish();
  expect(log).toEqual([]);
  await publisherWith(third).publish();
  expect(log).toEqual([
    {
      level: 'warn',
      message: expect.stringMatching(/^SECRET_KEYS has none of the keys that a control plane has published/),
      fields: { published: ['second'], configured: ['third'] },
    },
  ]);
  expect(await publishedIds()).toEqual(['third']);
});

test('what Redis refuses is repeated until it succeeds, and logged once', async () => {
  await redis.config('SET', 'maxmemory', '1');
  const publisher = new SecretKeysPublisher({
    redis,
    keys: [first],
    logger: recordingLogger(log),
    retryMilliseconds: 10,
  });
  await publisher.publish();
  expect(await publishedIds()).toBeNull();
  await eventually(async () => expect(log).toHaveLength(1));
  await redis.config('SET', 'maxmemory', '0');
  await eventually(async () => expect(await publishedIds()).toEqual(['first']));
  expect(log.map(({ message }) => message)).toEqual([
    'playback cannot be told by which SECRET_KEYS secrets are encrypted',
  ]);
  publisher.stop();
});

test('the texts are published at each connection, and before anything else in an emptied Redis', async () => {
  const { prisma } = await openDatabase();
  const client = createRedisClient({ servers: redisAt(server.url), name: 'test', logger: recordingLogger([]) });
  const secretKeys = new SecretKeysPublisher({ redis: client, keys: [first], logger: recordingLogger(log) });
  secretKeys.start();
  await eventually(async () => expect(await publishedIds()).toEqual(['first']));

  await emptyRedis(redis);
  client.disconnect(true);
  await eventually(async () => expect(await publishedIds()).toEqual(['first']));

  await emptyRedis(redis);
  const order: string[] = [];
  const onNewGeneration = async () => {
    order.push((await redis.exists(publishedKeys.deployment)) === 0 ? 'before the deployment' : 'after it');
    await secretKeys.publish();
  };
  const publisher = new Publisher({ prisma, redis: client, logger: recordingLogger(log), onNewGeneration });
  publisher.start();
  await eventually(async () => expect(await redis.exists(publishedKeys.deployment)).toBe(1));
  expect([order, await publishedIds()]).toEqual([['before the deployment'], ['first']]);
  await publisher.stop();
  secretKeys.stop();
  client.disconnect();
});
