import { Redis } from 'ioredis';
import { RedisClock } from './redis-clock';

const start = Date.parse('2026-06-15T12:00:00.000Z');
const hour = 3_600_000;

let processTime: number;
let clock: RedisClock;
beforeEach(() => {
  processTime = start;
  clock = new RedisClock(() => processTime);
});

/** How far, in milliseconds, the clock of Redis is thought to be ahead of the process. */
const offset = () => clock.now().getTime() - processTime;

/** A call that takes so long there and back, while Redis is so far ahead of the process. */
function call(there: number, back: number, ahead: number): void {
  const learn = clock.beginCall();
  processTime += there;
  const serverTime = new Date(processTime + ahead);
  processTime += back;
  learn(serverTime);
}

test('before the first reply the clock is that of the process', () => {
  expect(offset()).toBe(0);
});

test.each([
  ['behind', hour],
  ['ahead', -hour],
])('one reply puts a process right whose clock is an hour %s, to half the time of the call', (_case, ahead) => {
  call(4, 4, ahead);
  expect(Math.abs(offset() - ahead)).toBeLessThanOrEqual(1);
  processTime += 10 * hour;
  expect(Math.abs(offset() - ahead)).toBeLessThanOrEqual(1);
});

test('a slow reply takes nothing of what a quick one has taught', () => {
  call(0, 1, hour);
  call(0, 5_000, hour);
  call(5_000, 0, hour);
  expect(Math.abs(offset() - hour)).toBeLessThanOrEqual(1);
});

test('quick replies make more exact what a slow one has taught', () => {
  call(0, 5_000, hour);
  call(0, 1, hour);
  expect(Math.abs(offset() - hour)).toBeLessThanOrEqual(1);
});

test('a clock that was set, or that of another server, is followed with its first reply', () => {
  for (const ahead of [hour, -hour, 0]) {
    call(1, 1, ahead);
    expect(Math.abs(offset() - ahead)).toBeLessThanOrEqual(2);
  }
});

test('the clock of a real Redis can be asked for', async () => {
  const redis = new Redis(process.env.TEST_REDIS_URL ?? '');
  const wrong = new RedisClock(() => Date.now() - hour);
  await wrong.synchronize(redis);
  expect(Math.abs(wrong.now().getTime() - Date.now())).toBeLessThan(60_000);
  redis.disconnect();
});
