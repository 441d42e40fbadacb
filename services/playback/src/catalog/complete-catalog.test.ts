import { Problem, publishedKeys } from '@multi-drm/contracts';
import { startRedis, type TestRedis } from '@multi-drm/local/testing';
import { Redis } from 'ioredis';
import {
  generation,
  makeTenant,
  type PublishedTenant,
  publish,
  publishDeployment,
  publishProject,
} from '../testing/published-tenant';
import { RedisCatalog } from './redis-catalog';

/** Of the suite's own: the document of the deployment is about everything in it. */
let server: TestRedis;
let redis: Redis;
let catalog: RedisCatalog;
let tenant: PublishedTenant;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
beforeEach(async () => {
  await redis.flushall();
  catalog = new RedisCatalog(redis);
  tenant = makeTenant();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const notComplete = { code: 'service_unavailable', headers: { 'Retry-After': '1' } };
const find = () => catalog.rereadBeforeRefusal((present) => present.environment(tenant.environment.environmentId));
const findClient = () => catalog.rereadBeforeRefusal((present) => present.apiClient(tenant.client.clientId));
const publishBoth = async () => {
  await publish(redis, publishedKeys.environment(tenant.environment.environmentId), tenant.environment);
  await publish(redis, publishedKeys.apiClient(tenant.client.clientId), tenant.client);
};

test('nobody is told that an id does not exist before all are there', async () => {
  await expect(find()).rejects.toMatchObject(notComplete);
  await expect(findClient()).rejects.toMatchObject(notComplete);
  await publish(redis, publishedKeys.deployment, { generation, published: 'some' });
  await expect(find()).rejects.toMatchObject(notComplete);
  await expect(findClient()).rejects.toMatchObject(notComplete);
  await publishDeployment(redis);
  expect([await find(), await findClient()]).toEqual([null, null]);
});

test('neither environment nor API client is used before their project is complete, in this generation', async () => {
  await publishDeployment(redis);
  await publishBoth();
  await expect(find()).rejects.toMatchObject(notComplete);
  await expect(findClient()).rejects.toMatchObject(notComplete);
  await publishProject(redis, tenant);
  expect([await find(), await findClient()]).toEqual([tenant.environment, tenant.client]);
  await publish(redis, publishedKeys.deployment, { generation: 'next', published: 'all' });
  catalog = new RedisCatalog(redis);
  await expect(find()).rejects.toMatchObject(notComplete);
});

test('a refusal out of memory becomes 503 where Redis was emptied meanwhile', async () => {
  await publishDeployment(redis);
  expect(await find()).toBeNull();
  await redis.flushall();
  const refusal = catalog.rereadBeforeRefusal(async (present) => {
    if ((await present.environment(tenant.environment.environmentId)) === null) {
      throw new Problem('environment_not_found', 'There is no such environment.');
    }
  });
  await expect(refusal).rejects.toMatchObject(notComplete);
});

test('an emptied Redis is told from the known one, whatever is in memory', async () => {
  await publishDeployment(redis);
  await catalog.deployment();
  await catalog.requireGeneration(generation);
  await redis.flushall();
  await expect(catalog.requireGeneration(generation)).rejects.toMatchObject(notComplete);
});

test.each([
  [null, false],
  ['nothing', false],
  ['some', true],
  ['all', true],
])('with a deployment of which %s is published, that something is published is %p', async (published, expected) => {
  if (published !== null) await publish(redis, publishedKeys.deployment, { generation, published });
  expect(await catalog.somethingIsPublished()).toBe(expected);
});
