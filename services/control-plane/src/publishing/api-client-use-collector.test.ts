import { randomUUID } from 'node:crypto';
import { apiClientUse, apiClientUsesKey } from '@multi-drm/contracts';
import type { RedisClient } from '@multi-drm/service-kit';
import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import { hashOf } from '../access/credentials';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { type LogEntry, recordingLogger } from '../testing/recording-logger';
import { bearer, createTenant, type TestTenant } from '../testing/records';
import { ApiClientUseCollector } from './api-client-use-collector';

const log: LogEntry[] = [];
const used = Date.parse('2026-03-01T10:00:00.123Z');

let server: TestRedis;
let redis: RedisClient;
let controlPlane: TestControlPlane;
let tenant: TestTenant;
let collector: ApiClientUseCollector;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
  collector = new ApiClientUseCollector({ prisma: controlPlane.prisma, redis, logger: recordingLogger(log) });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const clientsUrl = () => `/api/v1/management/projects/${tenant.projectId}/api-clients`;

async function createClient(): Promise<{ apiClientId: string; clientId: string; accessKey: string }> {
  const { body } = await controlPlane.api
    .post(clientsUrl())
    .set(bearer(tenant.key))
    .send({ name: 'Backend', permissions: ['sessions:read'] })
    .expect(200);
  return body;
}

async function lastUsedAt(apiClientId: string): Promise<string | null | undefined> {
  const { body } = await controlPlane.api.get(clientsUrl()).set(bearer(tenant.key)).expect(200);
  const clients = body as { apiClientId: string; lastUsedAt: string | null }[];
  return clients.find((client) => client.apiClientId === apiClientId)?.lastUsedAt;
}

test('a use recorded by a playback that knows only client ids is shown, and never goes backwards', async () => {
  const [client, other] = [await createClient(), await createClient()];
  await redis.zadd(apiClientUsesKey, used, client.clientId, used, randomUUID());
  await collector.collect();
  expect(await lastUsedAt(client.apiClientId)).toBe('2026-03-01T10:00:00.123Z');
  expect(await lastUsedAt(other.apiClientId)).toBeNull();
  await redis.zadd(apiClientUsesKey, used - 1, client.clientId);
  await collector.collect();
  expect(await lastUsedAt(client.apiClientId)).toBe('2026-03-01T10:00:00.123Z');
});

test('each access key has the time of its own last use, also after a rotation', async () => {
  const client = await createClient();
  const url = `/api/v1/management/api-clients/${client.apiClientId}`;
  const rotated = await controlPlane.api
    .post(`${url}/rotate`)
    .set(bearer(tenant.key))
    .send({ overlapSeconds: 60 })
    .expect(200);
  const use = (accessKey: string) => apiClientUse(client.clientId, hashOf(accessKey));
  const shown = async () => {
    const { body } = await controlPlane.api.get(url).set(bearer(tenant.key)).expect(200);
    return [body.lastUsedAt, ...body.accessKeys.map((key: { lastUsedAt: string | null }) => key.lastUsedAt)];
  };
  const at = (milliseconds: number) => new Date(used + milliseconds).toISOString();
  await redis.zadd(apiClientUsesKey, used + 2, use(client.accessKey));
  await collector.collect();
  expect(await shown()).toEqual([at(2), null, at(2)]);
  await redis.zadd(apiClientUsesKey, used + 1, use(rotated.body.accessKey));
  await collector.collect();
  expect(await shown()).toEqual([at(2), at(1), at(2)]);
  await redis.zadd(apiClientUsesKey, used + 3, use(rotated.body.accessKey));
  await redis.zadd(apiClientUsesKey, used + 9, apiClientUse(client.clientId, hashOf('another key')));
  await collector.collect();
  expect(await shown()).toEqual([at(9), at(3), at(2)]);
});

test('more clients than fit on a page are collected, by several collectors at the same time', async () => {
  const client = await createClient();
  const others = Array.from({ length: 3_000 }, () => [used, randomUUID()]).flat();
  await redis.zadd(apiClientUsesKey, used, client.clientId, ...others);
  await Promise.all([collector.collect(), collector.collect(), collector.collect()]);
  expect(await lastUsedAt(client.apiClientId)).toBe('2026-03-01T10:00:00.123Z');
});

test('collected uses are removed from Redis an hour later', async () => {
  const [old, recent] = [randomUUID(), randomUUID()];
  const [seconds] = await redis.time();
  const now = Number(seconds) * 1_000;
  await redis.zadd(apiClientUsesKey, now - 3_601_000, old, now - 3_000_000, recent);
  await collector.collect();
  expect(await redis.zscore(apiClientUsesKey, old)).toBeNull();
  expect(await redis.zscore(apiClientUsesKey, recent)).not.toBeNull();
});

test('a collector collects once more when it stops', async () => {
  const client = await createClient();
  const ending = new ApiClientUseCollector({ prisma: controlPlane.prisma, redis, logger: recordingLogger(log) });
  ending.start();
  await redis.zadd(apiClientUsesKey, used, client.clientId);
  await ending.stop();
  expect(await lastUsedAt(client.apiClientId)).toBe('2026-03-01T10:00:00.123Z');
});

test('without Redis, the last known use is still shown, and nothing is logged as an error', async () => {
  const client = await createClient();
  await redis.zadd(apiClientUsesKey, used, client.clientId);
  await collector.collect();
  const away = new Redis(server.url, { lazyConnect: true, enableOfflineQueue: false });
  await new ApiClientUseCollector({ prisma: controlPlane.prisma, redis: away, logger: recordingLogger(log) }).stop();
  away.disconnect();
  expect(await lastUsedAt(client.apiClientId)).toBe('2026-03-01T10:00:00.123Z');
  expect(log).toMatchObject([{ level: 'debug' }]);
});
