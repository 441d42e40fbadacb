import { randomBytes } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { Metrics, type SecretKey, secretKeyProbes } from '@multi-drm/service-kit';
import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import supertest from 'supertest';
import { type Playback, startPlayback } from '../testing/playback';
import { publish, publishDeployment } from '../testing/published-tenant';
import { addSecretKeysGauge, SecretKeysCheck } from './secret-keys-check';

const keyNamed = (id: string): SecretKey => ({ id, key: randomBytes(32) });
const [own, other] = [keyNamed('own'), keyNamed('other')];
const setting = (...keys: SecretKey[]) => keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');

let server: TestRedis;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

/** A process that has just started with these keys. */
const start = (...keys: SecretKey[]) =>
  startPlayback({ redisUrl: server.url, environment: { SECRET_KEYS: setting(...keys) } });

const publishKeys = (playback: Playback, ...keys: SecretKey[]) =>
  publish(playback.redis, publishedKeys.secretKeys, keys.length === 0 ? null : secretKeyProbes(keys));

async function readiness({ app }: Playback): Promise<[status: number, secretKeys: string]> {
  const { status, body } = await supertest(app).get('/api/v1/health/ready');
  return [status, body.checks.secretKeys.status];
}

const logged = (playback: Playback) => playback.logged.filter(({ message }) => message.startsWith('SECRET_KEYS'));

test.each<[string, SecretKey[], SecretKey[]]>([
  ['the same key', [own], [own]],
  ['the first of two keys of a rotation', [own], [own, other]],
  ['the second of them', [own], [other, own]],
  ['two keys, of which the control plane has one', [other, own], [own]],
  ['no key, like the control plane', [], []],
  ['a key that nobody compares', [own], []],
])('a process that starts with %s becomes ready', async (_case, playbackKeys, controlPlaneKeys) => {
  const playback = await start(...playbackKeys);
  await publishDeployment(playback.redis);
  await publishKeys(playback, ...controlPlaneKeys);
  expect(await readiness(playback)).toEqual([200, 'up']);
  expect(logged(playback)).toEqual([]);
});

test.each<[string, SecretKey[]]>([
  ['another key', [other]],
  ['another key under the same id', [{ ...other, id: own.id }]],
  ['no key', []],
])('a process that starts with %s does not become ready, and says once what to do', async (_case, keys) => {
  const playback = await start(...keys);
  await publishDeployment(playback.redis);
  await publishKeys(playback, own);
  expect([await readiness(playback), await readiness(playback)]).toEqual([
    [503, 'down'],
    [503, 'down'],
  ]);
  expect(logged(playback)).toEqual([
    {
      level: 'error',
      message: 'SECRET_KEYS cannot decrypt the secrets of the control plane: set the same value at both services',
      fields: { published: ['own'], configured: keys.map(({ id }) => id) },
    },
  ]);
  await publishKeys(playback, ...keys);
  expect(await readiness(playback)).toEqual([200, 'up']);
});

test('a process that finds nothing published compares its keys when there is something', async () => {
  const playback = await start(own);
  await playback.redis.flushall();
  expect(await readiness(playback)).toEqual([503, 'up']);
  await publishKeys(playback, other);
  await publishDeployment(playback.redis);
  expect(await readiness(playback)).toEqual([503, 'down']);
});

test('a process that was ready stays ready when the keys differ later, logs an error and sets the metric', async () => {
  const playback = await start(own);
  await publishDeployment(playback.redis);
  await publishKeys(playback, own);
  expect(await readiness(playback)).toEqual([200, 'up']);
  await publishKeys(playback, other);
  expect(await readiness(playback)).toEqual([200, 'up']);
  expect(logged(playback).map(({ level }) => level)).toEqual(['error']);
  await publishKeys(playback, other, own);
  expect(await readiness(playback)).toEqual([200, 'up']);
  expect(logged(playback).map(({ level }) => level)).toEqual(['error', 'info']);
});

test('different keys are logged when Redis is connected, although nobody asks for readiness', async () => {
  const { redis, ...playback } = await start(own);
  await publishDeployment(redis);
  await publishKeys({ redis, ...playback }, other);
  const error = jest.fn();
  const logger = { error, info: () => undefined };
  const catalog = { somethingIsPublished: async () => true };
  new SecretKeysCheck({ redis, keys: [own], catalog, logger }).start();
  // The question is sent after the first of these, and answered before the second.
  await redis.ping();
  await redis.ping();
  expect(error).toHaveBeenCalledTimes(1);
});

test('the metric is 1 while the keys differ', async () => {
  const { redis, ...playback } = await start(own);
  const logger = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
  const metrics = new Metrics(logger);
  const catalog = { somethingIsPublished: async () => true };
  addSecretKeysGauge(metrics, new SecretKeysCheck({ redis, keys: [own], catalog, logger }));
  for (const [keys, value] of [
    [[other], 1],
    [[other, own], 0],
    [[], 0],
  ] as const) {
    await publishKeys({ redis, ...playback }, ...keys);
    expect(await metrics.text()).toMatch(new RegExp(`^multi_drm_secret_keys_differ ${value}$`, 'm'));
  }
});
