import { randomUUID } from 'node:crypto';
import { publishedKeys } from '@multi-drm/contracts';
import { Redis } from 'ioredis';
import { testRedisUrl } from '../testing/playback';
import { makeTenant, type PublishedTenant, publish } from '../testing/published-tenant';
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
  catalog = new RedisCatalog(redis, () => time);
  tenant = makeTenant();
  key = publishedKeys.environment(tenant.environment.environmentId);
});

const read = () => catalog.environment(tenant.environment.environmentId);

/** Writes a document without telling anybody. */
async function write(document: unknown): Promise<void> {
  await writer.hset(key, { revision: 1, document: document === null ? '' : JSON.stringify(document) });
}

test('a published document is read as it was written, without members that it does not know', async () => {
  await write({ ...tenant.environment, fromTheFuture: true });
  expect(await read()).toEqual(tenant.environment);
});

test('neither an unknown document nor a tombstone is there', async () => {
  expect(await read()).toBeNull();
  tenant = makeTenant();
  key = publishedKeys.environment(tenant.environment.environmentId);
  await write(null);
  expect(await read()).toBeNull();
});

test('a change of which no message came is seen after ten seconds', async () => {
  await write(tenant.environment);
  await read();
  await write(null);
  time += 9_999;
  expect(await read()).toEqual(tenant.environment);
  time += 2;
  expect(await read()).toBeNull();
});

test('an absence is believed for one second only', async () => {
  await read();
  await write(tenant.environment);
  time += 999;
  expect(await read()).toBeNull();
  time += 2;
  expect(await read()).toEqual(tenant.environment);
});

test('a document that does not fit its schema is an error, not an absence', async () => {
  await write({ environmentId: randomUUID() });
  await expect(read()).rejects.toThrow();
});

const followers: Redis[] = [];
afterEach(() => {
  for (const follower of followers.splice(0)) follower.disconnect();
});

/** Has the catalog follow changes on a connection of its own, and waits until it does. */
async function follow(): Promise<Redis> {
  const follower = subscriber.duplicate();
  followers.push(follower);
  catalog.follow(follower);
  await settled(follower);
  return follower;
}

/** Resolves when the follower has dealt with every message published so far: its own ping comes behind them. */
async function settled(follower: Redis): Promise<void> {
  if (follower.status !== 'ready') await new Promise((resolve) => follower.once('ready', resolve));
  await follower.ping();
}

test('a change is seen as soon as its message has come', async () => {
  const follower = await follow();
  await write(tenant.environment);
  expect(await read()).toEqual(tenant.environment);
  await publish(writer, key, null);
  await settled(follower);
  expect(await read()).toBeNull();
});

test('a document that changed while it was read is not kept', async () => {
  const follower = await follow();
  await write(tenant.environment);
  const reading = read();
  await publish(writer, key, null);
  await settled(follower);
  await reading;
  expect(await read()).toBeNull();
});

test('a new subscription forgets everything, since messages may have been missed', async () => {
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
