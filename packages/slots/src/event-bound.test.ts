import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import { slotEventsDroppedKey, slotEventsKey } from './events/event-keys';
import type { ReserveRequest } from './slot-store';
import { readAppended } from './testing/appended-events';
import { buckets } from './testing/subject-buckets';
import { another, ended, expectOutcome, newRequest, storeOn } from './testing/test-store';

let server: TestRedis;
let client: Redis;
beforeAll(async () => {
  // On a server of its own, because other suites would append to the same lists.
  server = await startRedis();
  client = new Redis(server.url);
});
beforeEach(() => client.flushall());
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

/** Starts and ends this many sessions of the viewer, with details of different sizes. */
async function startAndEnd(request: ReserveRequest, times: number, bound: number, by = client): Promise<void> {
  const store = storeOn(by, { eventBytes: () => bound });
  for (let i = 0; i < times; i += 1) {
    const reporting = { text: 'x'.repeat(100 * (i % 9)) };
    const next = another(request, { details: { ...request.details, reporting } });
    expectOutcome(await store.reserve(next), 'reserved');
    expect(await store.release(ended(next))).toBe('released');
  }
}

function keysOfEvents({ environmentId, subject }: ReserveRequest) {
  const bucket = buckets.bucketOf(environmentId, subject);
  return { list: slotEventsKey(bucket), dropped: slotEventsDroppedKey(bucket) };
}

test('a list that takes more than it may drops its oldest entries, and counts them with their times', async () => {
  const request = newRequest();
  const { list, dropped } = keysOfEvents(request);
  const bound = 40_000;
  await startAndEnd(request, 1, bound);
  const [first] = await readAppended(client, request);
  await startAndEnd(request, 99, bound);
  const appended = await readAppended(client, request);
  const bytes = await client.memory('USAGE', list);
  expect(bytes).toBeLessThanOrEqual(bound * 1.1);
  expect(bytes).toBeGreaterThanOrEqual(bound * 0.6);
  const { count, from, to } = await client.hgetall(dropped);
  expect(Number(count) + appended.length).toBe(200);
  expect(Number(from)).toBe(first?.at);
  expect(Number(to)).toBeGreaterThan(Number(from));
  expect(Number(to)).toBeLessThan(appended[0]?.at ?? 0);
});

test('nothing is dropped below the bound', async () => {
  const request = newRequest();
  await startAndEnd(request, 30, 40_000);
  expect(await readAppended(client, request)).toHaveLength(60);
  expect(await client.exists(keysOfEvents(request).dropped)).toBe(0);
});

test('a list keeps its newest entry, however small the bound', async () => {
  const request = newRequest();
  await startAndEnd(request, 2, 1);
  const appended = await readAppended(client, request);
  expect(appended.map(({ kind }) => kind)).toEqual(['ended']);
  expect(await client.hget(keysOfEvents(request).dropped, 'count')).toBe('3');
});

test('an entry that cannot be read is dropped like any other', async () => {
  const request = newRequest();
  const { list, dropped } = keysOfEvents(request);
  await client.rpush(list, 'no MessagePack', Buffer.from([0x01]));
  await startAndEnd(request, 1, 1);
  expect(await readAppended(client, request)).toHaveLength(1);
  const { from, to } = await client.hgetall(dropped);
  expect(Number(to)).toBeGreaterThan(Number(from));
});

test('where Redis does not allow to measure a list, the bound counts its entries, and no session is refused', async () => {
  await client.call('ACL', 'SETUSER', 'unmeasured', 'on', 'nopass', '~*', '&*', '+@all', '-memory');
  const other = new Redis(server.url, { username: 'unmeasured', password: 'any' });
  try {
    const request = newRequest();
    await startAndEnd(request, 20, 10 * 8_192, other);
    const appended = await readAppended(client, request);
    expect(appended.length).toBeLessThanOrEqual(10);
    expect(Number(await client.hget(keysOfEvents(request).dropped, 'count')) + appended.length).toBe(40);
  } finally {
    other.disconnect();
  }
});
