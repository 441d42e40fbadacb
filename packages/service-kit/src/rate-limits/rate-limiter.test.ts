import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { type RateCounts, RedisRateCounts } from './rate-counts';
import { RateLimiter } from './rate-limiter';

const redis = new Redis(process.env.TEST_REDIS_URL ?? '');
afterAll(() => redis.disconnect());

let time = 1_800_000_000_000;
beforeEach(() => {
  time = 1_800_000_000_000;
});

function limiter(limit: number | undefined, counts: RateCounts = new RedisRateCounts(redis, 'test')): RateLimiter {
  return new RateLimiter({ counts, limit, now: () => time, onFailure: () => undefined });
}

/** Resolves once the counts sent so far have been answered. */
async function settled(): Promise<void> {
  await redis.ping();
  await redis.ping();
}

test('a call beyond the limit returns the seconds until the minute ends', () => {
  const limited = limiter(3);
  const caller = randomUUID();
  time += 10_500;
  expect([1, 2, 3].map(() => limited.take(caller))).toEqual([undefined, undefined, undefined]);
  expect(limited.take(caller)).toBe(50);
});

test('asking returns the same without counting a call', () => {
  const limited = limiter(1);
  const caller = randomUUID();
  expect([limited.wait(caller), limited.wait(caller)]).toEqual([undefined, undefined]);
  limited.take(caller);
  expect(limited.wait(caller)).toBe(60);
});

test('without shared counts the limit applies to the process', async () => {
  const limited = new RateLimiter({ limit: 2, now: () => time });
  const caller = randomUUID();
  limited.take(caller);
  await Promise.resolve();
  limited.take(caller);
  await Promise.resolve();
  expect(limited.take(caller)).toBe(60);
});

test('a new minute starts at zero', () => {
  const limited = limiter(1);
  const caller = randomUUID();
  limited.take(caller);
  expect(limited.take(caller)).toBe(60);
  time += 60_000;
  expect(limited.take(caller)).toBeUndefined();
});

test('callers are counted separately', () => {
  const limited = limiter(1);
  limited.take(randomUUID());
  expect(limited.take(randomUUID())).toBeUndefined();
});

test('without a limit any number of calls is accepted', () => {
  const limited = limiter(undefined);
  const caller = randomUUID();
  expect(Array.from({ length: 1000 }, () => limited.take(caller))).not.toContain(expect.any(Number));
});

test('two processes share one limit, except for a call that the other has not learned of', async () => {
  const processes = [limiter(10), limiter(10)];
  const caller = randomUUID();
  let taken = 0;
  for (let call = 0; call < 40; call += 1) {
    if (processes[call % 2]?.take(caller) === undefined) taken += 1;
    await settled();
  }
  expect([10, 11]).toContain(taken);
});

test('the counts of a minute expire', async () => {
  const caller = randomUUID();
  limiter(3).take(caller);
  await settled();
  expect(await redis.pttl(`rate-limit:test:{${caller}}:30000000`)).toBeGreaterThan(60_000);
});

test('during a Redis outage the limit applies to each process', async () => {
  const failures: unknown[] = [];
  const counts = { add: () => Promise.reject(new Error('away')) };
  const limited = new RateLimiter({ counts, limit: 2, now: () => time, onFailure: (error) => failures.push(error) });
  const caller = randomUUID();
  limited.take(caller);
  await Promise.resolve();
  limited.take(caller);
  await new Promise(setImmediate);
  expect(limited.take(caller)).toBe(60);
  expect(failures).toHaveLength(2);
});
