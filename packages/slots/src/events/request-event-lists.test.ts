import { isRedisFull } from '@multi-drm/service-kit';
import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import { requestEventLists, requestEventsDroppedKey, requestEventsKey } from './event-keys';
import { RequestEventLists } from './request-event-lists';
import { packRequestEvents, type RequestEvent, readRequestEvents, unknownMembers } from './request-events';

let server: TestRedis;
let client: Redis;
beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.url);
});
beforeEach(() => client.flushall());
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

const bytesOfList = 20_000;
let random = 0;
const listsOf = (connection: Redis) => new RequestEventLists({ client: connection, bytesOfList, random: () => random });

function refusal(at: number, count = 1): RequestEvent {
  return {
    ...unknownMembers,
    kind: 'session.refused',
    environmentId: 'environment-1',
    subject: `viewer-${at}`,
    at,
    count,
    code: 'subject_blocked',
    contentId: 'lesson-0042',
    contentType: 'vod',
    drmSystem: 'widevine',
  };
}

const start = 1_790_000_000_000;

test('events are appended as one entry, to any of the lists', async () => {
  const lists = listsOf(client);
  random = 0;
  await lists.append([refusal(start), refusal(start + 1)]);
  random = 0.999;
  await lists.append([refusal(start + 2)]);
  const [first, ...others] = await client.lrangeBuffer(requestEventsKey(0), 0, -1);
  expect(others).toEqual([]);
  expect(first && readRequestEvents(first)).toEqual([refusal(start), refusal(start + 1)]);
  expect(await client.llen(requestEventsKey(requestEventLists - 1))).toBe(1);
});

test('a list that would take more than it may drops its oldest entries first, and counts their events with their times', async () => {
  const lists = listsOf(client);
  random = 0;
  await client.rpush(requestEventsKey(0), 'no MessagePack');
  for (let i = 0; i < 60; i += 1) {
    await lists.append(Array.from({ length: 1 + (i % 9) }, (_, place) => refusal(start + 10 * i + place, 2)));
  }
  const entries = await client.lrangeBuffer(requestEventsKey(0), 0, -1);
  expect(await client.memory('USAGE', requestEventsKey(0), 'SAMPLES', 0)).toBeLessThan(bytesOfList * 1.1);
  const left = entries.map((entry) => readRequestEvents(entry));
  const { count, from, to } = await client.hgetall(requestEventsDroppedKey(0));
  const appended = Array.from({ length: 60 }, (_, i) => 1 + (i % 9)).reduce((sum, each) => sum + each);
  expect(Number(count) / 2 + left.flat().length).toBe(appended);
  expect(left.at(-1)?.at(-1)?.at).toBeGreaterThanOrEqual(start + 590);
  expect(Number(from)).toBe(start * 1_000);
  expect(Number(to)).toBeLessThan((left[0]?.[0]?.at ?? 0) * 1_000);
});

test('equal events of two processes in the same moment are two entries', async () => {
  const numbers = [0, 0.25, 0, 0.75].values();
  const lists = new RequestEventLists({ client, bytesOfList, random: () => numbers.next().value ?? 0 });
  await Promise.all([lists.append([refusal(start)]), lists.append([refusal(start)])]);
  const entries = await client.lrangeBuffer(requestEventsKey(0), 0, -1);
  expect(entries.map((entry) => readRequestEvents(entry))).toEqual([[refusal(start)], [refusal(start)]]);
  expect(new Set(entries.map(String)).size).toBe(2);
});

test('many entries are dropped together, because measuring a list takes long', async () => {
  random = 0;
  const small = packRequestEvents([refusal(start)]);
  await client.rpush(requestEventsKey(0), ...Array.from({ length: 5_000 }, () => small));
  const most = Number(await client.memory('USAGE', requestEventsKey(0), 'SAMPLES', 0));
  await client.config('RESETSTAT');
  const lists = new RequestEventLists({ client, bytesOfList: most, random: () => random });
  await lists.append(Array.from({ length: 2_000 }, (_, place) => refusal(start + place)));
  const measured = Number(/cmdstat_memory\|usage:calls=(\d+)/.exec(await client.info('commandstats'))?.[1]);
  expect(measured).toBeLessThanOrEqual(3);
  const dropped = Number(await client.hget(requestEventsDroppedKey(0), 'count'));
  expect(dropped + Number(await client.llen(requestEventsKey(0)))).toBe(5_001);
  expect(dropped).toBeGreaterThan(1_000);
});

test('on a full Redis, nothing is appended', async () => {
  const lists = listsOf(client);
  await client.config('SET', 'maxmemory', 1);
  const refused = await lists.append([refusal(start)]).catch((error: unknown) => error);
  await client.config('SET', 'maxmemory', 0);
  expect(isRedisFull(refused)).toBe(true);
  expect(await client.exists(requestEventsKey(0))).toBe(0);
});

test('where Redis does not allow to measure a list, nothing is appended, so that it does not grow', async () => {
  await client.call('ACL', 'SETUSER', 'unmeasured', 'on', 'nopass', '~*', '&*', '+@all', '-memory');
  const other = new Redis(server.url, { username: 'unmeasured', password: 'any' });
  random = 0;
  await expect(listsOf(other).append([refusal(start)])).rejects.toThrow();
  other.disconnect();
  expect(await client.exists(requestEventsKey(0))).toBe(0);
});
