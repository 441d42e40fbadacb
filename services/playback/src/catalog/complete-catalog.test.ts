import { Problem, publishedKeys } from '@multi-drm/contracts';
import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import {
  deployment,
  makeTenant,
  type PublishedTenant,
  publish,
  publishDeployment,
  publishProject,
} from '../testing/published-tenant';
import type { Catalog } from './catalog';
import { RedisCatalog } from './redis-catalog';

/** A Redis of its own, because the deployment's completeness mark covers everything in it. */
let server: TestRedis;
let redis: Redis;
let catalog: RedisCatalog;
let tenant: PublishedTenant;
let time = 1_000;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
beforeEach(async () => {
  await redis.flushall();
  catalog = new RedisCatalog(redis, { now: () => time });
  tenant = makeTenant();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const notComplete = { code: 'service_unavailable', headers: { 'Retry-After': '1' } };
const find = () => catalog.rereadBeforeRefusal((current) => current.environment(tenant.environment.environmentId));
const findClient = () => catalog.rereadBeforeRefusal((current) => current.apiClient(tenant.client.clientId));
const publishBoth = async () => {
  await publish(redis, publishedKeys.environment(tenant.environment.environmentId), tenant.environment);
  await publish(redis, publishedKeys.apiClient(tenant.client.clientId), tenant.client);
};

test('an id is not reported as unknown before everything is published', async () => {
  await expect(find()).rejects.toMatchObject(notComplete);
  await expect(findClient()).rejects.toMatchObject(notComplete);
  await publish(redis, publishedKeys.deployment, { ...deployment, published: 'some' });
  await expect(find()).rejects.toMatchObject(notComplete);
  await expect(findClient()).rejects.toMatchObject(notComplete);
  await publishDeployment(redis);
  expect([await find(), await findClient()]).toEqual([null, null]);
});

test('neither environment nor API client is used before its project is complete in this generation', async () => {
  await publishDeployment(redis);
  await publishBoth();
  await expect(find()).rejects.toMatchObject(notComplete);
  await expect(findClient()).rejects.toMatchObject(notComplete);
  await publishProject(redis, tenant);
  expect([await find(), await findClient()]).toEqual([tenant.environment, tenant.client]);
  await publish(redis, publishedKeys.deployment, { ...deployment, generation: 'next' });
  catalog = new RedisCatalog(redis);
  await expect(find()).rejects.toMatchObject(notComplete);
});

test('a refusal from cached documents becomes 503 if Redis was emptied in the meantime', async () => {
  await publishDeployment(redis);
  expect(await find()).toBeNull();
  await redis.flushall();
  const refusal = catalog.rereadBeforeRefusal(async (current) => {
    if ((await current.environment(tenant.environment.environmentId)) === null) {
      throw new Problem('environment_not_found', 'The environment does not exist.');
    }
  });
  await expect(refusal).rejects.toMatchObject(notComplete);
});

describe('if Redis is emptied between the reads of the completeness mark and of the requested document', () => {
  const refused = new Problem('content_not_found', 'The environment has no content with this id.');
  const kinds: [string, (current: Catalog) => unknown][] = [
    ['organization', (current) => current.organization(tenant.organization.organizationId)],
    ['environment', (current) => current.environment(tenant.environment.environmentId)],
    ['content', (current) => current.content(tenant.environment.environmentId, 'lesson-0042')],
    ['license backend', (current) => current.licenseBackend(tenant.environment.environmentId, 'widevine')],
    ['license profile', (current) => current.licenseProfile(tenant.environment.projectId, 'evening')],
    ['viewer', (current) => current.endUser(tenant.environment.environmentId, 'viewer-1')],
    ['API client', (current) => current.apiClient(tenant.client.clientId)],
  ];
  beforeEach(async () => {
    await publishDeployment(redis);
    await publishProject(redis, tenant);
    await publishBoth();
  });
  afterEach(() => jest.restoreAllMocks());

  /** As if ten seconds had passed. */
  const forgetAll = () => {
    time += 10_001;
  };

  test.each(kinds)('a missing %s does not cause a refusal, whether thrown or returned', async (_kind, read) => {
    const attempt = async (current: Catalog) => {
      await current.environment(tenant.environment.environmentId);
      await redis.flushall();
      // So that the documents that the attempt read before are read again.
      forgetAll();
      return read(current);
    };
    const thrown = async (current: Catalog) => {
      if ((await attempt(current)) === null) throw refused;
    };
    await expect(catalog.rereadBeforeRefusal(thrown)).rejects.toMatchObject(notComplete);
    await publishDeployment(redis);
    await publishProject(redis, tenant);
    await publishBoth();
    forgetAll();
    const isMissing = (result: unknown) => result === null;
    await expect(catalog.rereadBeforeRefusal(attempt, isMissing)).rejects.toMatchObject(notComplete);
  });

  test('a document missing during the reread does not cause a refusal', async () => {
    const contentKey = publishedKeys.content(tenant.environment.environmentId, 'lesson-0042');
    await publish(redis, contentKey, { ...tenant.content, status: 'draft' });
    const findPublished = () =>
      catalog.rereadBeforeRefusal(async (current) => {
        await current.environment(tenant.environment.environmentId);
        const content = await current.content(tenant.environment.environmentId, 'lesson-0042');
        if (content?.status !== 'published') throw refused;
      });
    await expect(findPublished()).rejects.toBe(refused);
    emptyBeforeReading(contentKey);
    await expect(findPublished()).rejects.toMatchObject(notComplete);
  });

  test('a document missing in the second attempt does not cause a refusal', async () => {
    const contentKey = publishedKeys.content(tenant.environment.environmentId, 'lesson-0042');
    await publish(redis, contentKey, tenant.content);
    const { environmentId } = tenant.environment;
    const suspended = { ...tenant.environment, drmSystems: [] };
    await publish(redis, publishedKeys.environment(environmentId), suspended);
    const play = () =>
      catalog.rereadBeforeRefusal(async (current) => {
        if ((await current.environment(environmentId))?.drmSystems.length === 0) throw refused;
        if ((await current.content(environmentId, 'lesson-0042')) === null) throw refused;
      });
    await expect(play()).rejects.toBe(refused);
    await publish(redis, publishedKeys.environment(environmentId), tenant.environment);
    emptyBeforeReading(contentKey);
    await expect(play()).rejects.toMatchObject(notComplete);
  });

  /** Empties Redis just before the document is read; commands sent before that still succeed. */
  function emptyBeforeReading(key: string): void {
    const read = redis.hget.bind(redis);
    jest.spyOn(redis, 'hget').mockImplementation((asked, field) => {
      if (asked === key) void redis.flushall();
      return read(asked, field);
    });
  }
});

test('an emptied Redis is distinguished from the known one, regardless of the cache', async () => {
  await publishDeployment(redis);
  const generation = await catalog.generation();
  await catalog.requireGeneration(generation);
  await redis.flushall();
  await expect(catalog.requireGeneration(generation)).rejects.toMatchObject(notComplete);
});

test('callers of one turn read the generation once; later ones read it again', async () => {
  await publishDeployment(redis);
  const generation = await catalog.generation();
  const read = jest.spyOn(redis, 'hmget');
  await Promise.all([catalog.requireGeneration(generation), catalog.requireGeneration(generation)]);
  expect(read).toHaveBeenCalledTimes(1);
  await redis.flushall();
  await expect(catalog.requireGeneration(generation)).rejects.toMatchObject(notComplete);
  read.mockRestore();
});

test.each([
  [null, false],
  ['nothing', false],
  ['some', true],
  ['all', true],
])('with a deployment of which %s is published, somethingIsPublished returns %p', async (published, expected) => {
  if (published !== null) await publish(redis, publishedKeys.deployment, { ...deployment, published });
  expect(await catalog.somethingIsPublished()).toBe(expected);
});
