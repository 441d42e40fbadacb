import { randomUUID } from 'node:crypto';
import { Problem, publishedKeys } from '@multi-drm/contracts';
import { Redis } from 'ioredis';
import { testRedisUrl } from '../testing/playback';
import {
  makeTenant,
  type PublishedTenant,
  publish,
  publishDeployment,
  publishProject,
} from '../testing/published-tenant';
import type { Catalog } from './catalog';
import { RedisCatalog } from './redis-catalog';

const redis = new Redis(testRedisUrl());
const writer = new Redis(testRedisUrl());
const subscriber = new Redis(testRedisUrl());
afterAll(() => {
  for (const client of [redis, writer, subscriber]) client.disconnect();
});

let time = 1_000;
let catalog: RedisCatalog;
let tenant: PublishedTenant;
let key: string;

beforeEach(() => {
  time = 1_000;
  catalog = new RedisCatalog(redis, { now: () => time });
  tenant = makeTenant();
  key = publishedKeys.environment(tenant.environment.environmentId);
});

const read = async () => catalog.environment(tenant.environment.environmentId);

/** Writes a document without a change message. */
async function write(document: unknown): Promise<void> {
  await writer.hset(key, { revision: 1, document: document === null ? '' : JSON.stringify(document) });
}

test('a published document is read as written, without unknown members', async () => {
  await write({ ...tenant.environment, fromTheFuture: true });
  expect(await read()).toEqual(tenant.environment);
});

test('an unknown document and a tombstone are read as null', async () => {
  expect(await read()).toBeNull();
  tenant = makeTenant();
  key = publishedKeys.environment(tenant.environment.environmentId);
  await write(null);
  expect(await read()).toBeNull();
});

test('a change without a message is seen after ten seconds', async () => {
  await write(tenant.environment);
  await read();
  await write(null);
  time += 9_999;
  expect(await read()).toEqual(tenant.environment);
  time += 2;
  expect(await read()).toBeNull();
});

test('an absence is cached for only one second', async () => {
  await read();
  await write(tenant.environment);
  time += 999;
  expect(await read()).toBeNull();
  time += 2;
  expect(await read()).toEqual(tenant.environment);
});

test('unknown ids do not fill the memory, however long they are', async () => {
  const ids = Array.from({ length: 65 }, (_, index) => `${index}`.padStart(1024 * 1024, '-'));
  for (const id of ids) await catalog.apiClient(id);
  const reads = jest.spyOn(redis, 'hget');
  await catalog.apiClient(ids.at(-1) ?? '');
  expect(reads).toHaveBeenCalledTimes(0);
  await catalog.apiClient(ids.at(0) ?? '');
  expect(reads).toHaveBeenCalledTimes(1);
});

test('a document that does not match its schema is an error, not an absence', async () => {
  await write({ environmentId: randomUUID() });
  await expect(read()).rejects.toThrow();
});

const followers: Redis[] = [];
afterEach(() => {
  for (const follower of followers.splice(0)) follower.disconnect();
});

/** Subscribes the catalog to changes on a new connection, and waits until it is subscribed. */
async function follow(): Promise<Redis> {
  const follower = subscriber.duplicate();
  followers.push(follower);
  catalog.follow(follower);
  await settled(follower);
  return follower;
}

/** Resolves when the follower has handled every message published so far: the reply to its ping arrives after them. */
async function settled(follower: Redis): Promise<void> {
  if (follower.status !== 'ready') await new Promise((resolve) => follower.once('ready', resolve));
  await follower.ping();
}

test('a change is seen as soon as its message has arrived', async () => {
  const follower = await follow();
  await write(tenant.environment);
  expect(await read()).toEqual(tenant.environment);
  await publish(writer, key, null);
  await settled(follower);
  expect(await read()).toBeNull();
});

test('a document that changed while it was read is not cached', async () => {
  const follower = await follow();
  await write(tenant.environment);
  const reading = read();
  await publish(writer, key, null);
  await settled(follower);
  await reading;
  expect(await read()).toBeNull();
});

test('a new subscription clears the cache, because messages may have been missed', async () => {
  const follower = await follow();
  await write(tenant.environment);
  await read();
  await write(null);
  const again = new Promise((resolve) => follower.once('ready', resolve));
  follower.disconnect(true);
  await again;
  await settled(follower);
  expect(await read()).toBeNull();
});

test('after a reconnect, documents are cached and messages arrive again', async () => {
  const follower = await follow();
  const again = new Promise((resolve) => follower.once('ready', resolve));
  follower.disconnect(true);
  await again;
  await settled(follower);
  await write(tenant.environment);
  await read();
  await write(null);
  expect(await read()).toEqual(tenant.environment);
  await publish(writer, key, null);
  await settled(follower);
  expect(await read()).toBeNull();
});

test('nothing is cached while messages cannot arrive', async () => {
  const follower = await follow();
  await write(tenant.environment);
  await read();
  const closed = new Promise((resolve) => follower.once('close', resolve));
  follower.disconnect();
  await closed;
  expect(await read()).toEqual(tenant.environment);
  await write(null);
  expect(await read()).toBeNull();
});

describe('before a refusal', () => {
  const refused = new Problem('environment_not_found', 'The environment does not exist.');
  const reads = () => jest.spyOn(redis, 'sendCommand');
  beforeEach(async () => {
    await publishDeployment(writer);
    await publishProject(writer, tenant);
    // Cached, as after the first request.
    await catalog.deployment();
    await catalog.project(tenant.environment.projectId);
  });
  afterEach(() => jest.restoreAllMocks());

  /** Refuses if there is no environment; records what it saw. */
  const findEnvironment = (seen: unknown[] = []) =>
    catalog.rereadBeforeRefusal(async (current: Catalog) => {
      const environment = await current.environment(tenant.environment.environmentId);
      seen.push(environment);
      if (environment === null) throw refused;
      return environment;
    });

  test('a cached absence is read again, and a document that exists now is used', async () => {
    await read();
    await write(tenant.environment);
    const seen: unknown[] = [];
    expect(await findEnvironment(seen)).toEqual(tenant.environment);
    expect(seen).toEqual([null, tenant.environment]);
    expect(await read()).toEqual(tenant.environment);
  });

  test('an outdated cached document is read again, even if the refusal is a result', async () => {
    const limited = {
      ...tenant.environment,
      settings: { ...tenant.environment.settings, maximumConcurrentStreams: 1 },
    };
    await write(limited);
    await read();
    await write(tenant.environment);
    const limit = await catalog.rereadBeforeRefusal(
      async (current) =>
        (await current.environment(tenant.environment.environmentId))?.settings.maximumConcurrentStreams,
      (maximum) => maximum === 1,
    );
    expect(limit).toBe(tenant.environment.settings.maximumConcurrentStreams);
  });

  test('an unknown id costs two reads in one round trip per request: its own and the completeness mark', async () => {
    const sent = reads();
    for (const count of [2, 4, 6]) {
      await expect(findEnvironment()).rejects.toBe(refused);
      expect(sent).toHaveBeenCalledTimes(count);
    }
  });

  test('if nothing has changed, the attempt is not repeated and the documents stay the same objects', async () => {
    await write(tenant.environment);
    const known = await read();
    const sent = reads();
    const attempt = jest.fn(async (current: Catalog) => {
      await current.environment(tenant.environment.environmentId);
      throw refused;
    });
    await expect(catalog.rereadBeforeRefusal(attempt)).rejects.toBe(refused);
    expect([attempt.mock.calls.length, sent.mock.calls.length]).toEqual([1, 3]);
    expect(await read()).toBe(known);
  });

  test.each([
    [
      'whose cache entry has expired',
      async () => {
        time += 10_001;
      },
    ],
    ['that a message has removed from the cache', () => publish(writer, key, tenant.environment)],
  ])('a document %s in the meantime but is equal is not a change', async (_case, drop) => {
    const follower = await follow();
    await write(tenant.environment);
    await read();
    const attempt = jest.fn(async (current: Catalog) => {
      await current.environment(tenant.environment.environmentId);
      await drop();
      await settled(follower);
      throw refused;
    });
    await expect(catalog.rereadBeforeRefusal(attempt)).rejects.toBe(refused);
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test('a read that started before the request is not trusted', async () => {
    const answered = read();
    await write(tenant.environment);
    await Promise.all([answered, findEnvironment().then((found) => expect(found).toEqual(tenant.environment))]);
  });

  test('a document that only the second attempt reads is not older either', async () => {
    const { organizationId } = tenant.organization;
    await catalog.organization(organizationId);
    await read();
    await write(tenant.environment);
    await writer.hset(publishedKeys.organization(organizationId), {
      revision: 1,
      document: JSON.stringify(tenant.organization),
    });
    const found = await catalog.rereadBeforeRefusal(async (current) => {
      if ((await current.environment(tenant.environment.environmentId)) === null) throw refused;
      const organization = await current.organization(organizationId);
      if (organization === null) throw refused;
      return organization;
    });
    expect(found).toEqual(tenant.organization);
  });

  test('a success reads nothing more, and other failures are not repeated', async () => {
    await write(tenant.environment);
    await read();
    const sent = reads();
    await findEnvironment();
    const failing = jest.fn(async (current: Catalog) => {
      await current.environment(tenant.environment.environmentId);
      throw new Error('not a refusal');
    });
    await expect(catalog.rereadBeforeRefusal(failing)).rejects.toThrow('not a refusal');
    expect([sent.mock.calls.length, failing.mock.calls.length]).toEqual([0, 1]);
  });

  test('no caller is refused from cached documents while Redis is down', async () => {
    await read();
    for (const read of ['hget', 'hmget'] as const)
      jest.spyOn(redis, read).mockRejectedValue(new Error('Connection is closed.'));
    await expect(findEnvironment()).rejects.toThrow('Connection is closed.');
  });
});
