import { bucketsOfDeployment, type SubjectBuckets } from '@multi-drm/contracts';
import type { Logger } from '@multi-drm/service-kit';
import { startRedis, type TestRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import { EventBuffer } from './events/event-buffer';
import { slotEventsKey } from './events/event-keys';
import { Sweeper } from './sweeper';
import { buckets } from './testing/subject-buckets';
import {
  exactClock,
  expectOutcome,
  keysOf,
  newRequest,
  recordOf,
  slotSettings,
  slotsOf,
  storeOn,
  subjectState,
  untilRedisTime,
} from './testing/test-store';

let server: TestRedis;
let client: Redis;
beforeAll(async () => {
  // On a server of its own: the sweeper ends the expired sessions of everybody.
  server = await startRedis();
  client = new Redis(server.url);
});
beforeEach(() => client.flushall());
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

const eventBuffer = { bytesOfBucket: () => 2 ** 24, measure: async () => undefined, refresh: async () => undefined };

/** A process with a sweeper. Its second passes when the test says so. */
async function startProcess(
  random = 0,
  currentBuckets = async (): Promise<SubjectBuckets | null> => buckets,
  events: Pick<EventBuffer, keyof typeof eventBuffer> = eventBuffer,
) {
  const logged: string[] = [];
  const log = (level: string) => (message: string) => void logged.push(`${level}: ${message}`);
  const logger: Logger = { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') };
  const clock = exactClock();
  const time = { now: 0 };
  let endPause: () => void = () => undefined;
  let rounds = 0;
  let roundIsOver: () => void = () => undefined;
  const pause = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      expect(milliseconds).toBe(1_000);
      rounds += 1;
      endPause = resolve;
      signal.addEventListener('abort', () => resolve());
      roundIsOver();
    });
  const sweeper = new Sweeper({
    client,
    clock,
    ...slotSettings,
    eventBuffer: events,
    buckets: currentBuckets,
    logger,
    random: () => random,
    processNow: () => time.now,
    pause,
  });
  /** Resolves at the end of the round that begins now. */
  const nextRound = async (begin: () => void) => {
    const over = new Promise<void>((resolve) => {
      roundIsOver = resolve;
    });
    begin();
    await over;
  };
  await nextRound(() => sweeper.start());
  return {
    sweeper,
    logged,
    rounds: () => rounds,
    passSeconds: (seconds: number) => {
      time.now += seconds * 1_000;
      return nextRound(endPause);
    },
  };
}

/** Claims all groups, as another process does, until the test ends the claims. */
async function holdClaims(): Promise<void> {
  for (let group = 0; group < bucketsOfDeployment / 64; group += 1) await client.set(`sweep:${group}`, '1');
}

/** Makes the claims end, as they do within a second. */
async function endClaims(): Promise<void> {
  const claims = await client.keys('sweep:*');
  if (claims.length > 0) await client.del(...claims);
}

/** Reserves sessions in the first and the last bucket, and others; resolves when they have expired. */
async function expireSessions() {
  const requests = Array.from({ length: 20 }, () => newRequest({ lifetimeMilliseconds: 20 }));
  for (const bucket of [0, bucketsOfDeployment - 1]) {
    for (;;) {
      const request = newRequest({ lifetimeMilliseconds: 20 });
      if (buckets.bucketOf(request.environmentId, request.subject) !== bucket) continue;
      requests.push(request);
      break;
    }
  }
  let last = new Date(0);
  for (const request of requests) {
    last = expectOutcome(await storeOn(client).reserve(request), 'reserved').expiresAt;
  }
  await untilRedisTime(client, last);
  return requests;
}

test('a single process sweeps every bucket once a second', async () => {
  const { sweeper, passSeconds, logged } = await startProcess();
  for (let second = 0; second < 2; second += 1) {
    const requests = await expireSessions();
    await endClaims();
    await passSeconds(1);
    for (const request of requests) expect(await subjectState(client, request)).toEqual(slotsOf());
  }
  await sweeper.stop();
  expect(logged).toEqual([]);
});

test('a process leaves out what another one has claimed, and takes over when that one is gone', async () => {
  const first = await startProcess();
  const [request] = await expireSessions();
  if (request === undefined) throw new Error('no session');
  await holdClaims();
  const second = await startProcess(0.9);
  await first.passSeconds(1);
  expect(await recordOf(client, request)).not.toBeNull();
  await first.sweeper.stop();
  await endClaims();
  await second.passSeconds(1);
  expect(await subjectState(client, request)).toEqual(slotsOf());
  await second.sweeper.stop();
});

test('a claim ends within the second, so that a process that died holds nobody up', async () => {
  const { sweeper } = await startProcess();
  await sweeper.stop();
  // On a slow machine, some have ended already.
  for (const claim of await client.keys('sweep:*')) {
    const left = await client.pttl(claim);
    expect(left).not.toBe(-1); // which means without end
    expect(left).toBeLessThanOrEqual(900);
  }
});

test('a full Redis is swept, too', async () => {
  const { sweeper, passSeconds, logged } = await startProcess();
  const requests = await expireSessions();
  await endClaims();
  await client.config('SET', 'maxmemory', 1);
  await passSeconds(1);
  await client.config('SET', 'maxmemory', 0);
  for (const request of requests) expect(await subjectState(client, request)).toEqual(slotsOf());
  await sweeper.stop();
  expect(logged).toEqual([]);
});

test('while all lists of events take more than the bound, each may take about its fair share, at every process', async () => {
  const bound = 2 ** 20;
  const own = new EventBuffer(client, bound);
  const other = new EventBuffer(client, bound);
  const controlPlaneBuffer = new EventBuffer(client, null);
  const { sweeper, passSeconds, logged } = await startProcess(0, async () => buckets, own);
  const shares = async () => {
    await endClaims();
    // What one round has measured, the next one reads.
    await passSeconds(1);
    await passSeconds(1);
    const buffers = [own, other, controlPlaneBuffer];
    for (const buffer of buffers) await buffer.refresh();
    return new Set(buffers.map((buffer) => buffer.bytesOfBucket()));
  };
  const lists = [slotEventsKey(0), slotEventsKey(bucketsOfDeployment - 1)];
  for (const list of lists) await client.rpush(list, 'x'.repeat(bound / 2 + 1));
  expect(await shares()).toEqual(new Set([Math.floor(bound / 1_000)]));
  await client.lpop(slotEventsKey(0));
  expect(await shares()).toEqual(new Set([bound / 16]));
  await sweeper.stop();
  expect(logged).toEqual([]);
});

test('an error is logged once a minute, and the other buckets are swept', async () => {
  const { sweeper, passSeconds, logged } = await startProcess();
  const [request, ...others] = await expireSessions();
  if (request === undefined) throw new Error('no session');
  await client.set(keysOf(request).slots, 'not a hash');
  for (const seconds of [1, 1, 58, 1]) {
    await endClaims();
    await passSeconds(seconds);
  }
  expect(logged).toEqual(Array(2).fill('error: expired sessions cannot be removed'));
  for (const other of others) expect(await subjectState(client, other)).toEqual(slotsOf());
  await sweeper.stop();
});

test('while nothing is published, nothing is swept, which is no error', async () => {
  let present: SubjectBuckets | null = null;
  const { sweeper, passSeconds, logged } = await startProcess(0, async () => present);
  const [request] = await expireSessions();
  if (request === undefined) throw new Error('no session');
  await passSeconds(1);
  expect(await recordOf(client, request)).not.toBeNull();
  present = buckets;
  await passSeconds(1);
  expect(await subjectState(client, request)).toEqual(slotsOf());
  await sweeper.stop();
  expect(logged).toEqual([]);
});

test('an outage is not an error, and the sweep continues after it', async () => {
  const { sweeper, passSeconds, logged } = await startProcess();
  const [request] = await expireSessions();
  if (request === undefined) throw new Error('no session');
  const set = jest.spyOn(client, 'set').mockRejectedValue(new Error('Connection is closed.'));
  await passSeconds(1);
  set.mockRestore();
  expect(new Set(logged)).toEqual(new Set(['debug: expired sessions cannot be removed at the moment']));
  await endClaims();
  await passSeconds(1);
  expect(await subjectState(client, request)).toEqual(slotsOf());
  await sweeper.stop();
});

test('a stopped sweeper begins no other round', async () => {
  const { sweeper, rounds } = await startProcess();
  await sweeper.stop();
  expect(rounds()).toBe(1);
});
