import { Redis } from 'ioredis';
import { RedisClock } from './redis-clock';

const start = Date.parse('2026-06-15T12:00:00.000Z');
const hour = 3_600_000;

let processTime: number;
let clock: RedisClock;
let steps: number[];
beforeEach(() => {
  processTime = start;
  steps = [];
  clock = new RedisClock(
    () => processTime,
    (milliseconds) => steps.push(milliseconds),
  );
});

/** The estimated offset of the clock of Redis from that of the process, in milliseconds. */
const offset = () => clock.now().getTime() - processTime;

/** Simulates a call with the given times there and back, while Redis is ahead of the process by `ahead`. */
function call(there: number, back: number, ahead: number): void {
  const learn = clock.beginCall();
  processTime += there;
  const serverTime = new Date(processTime + ahead);
  processTime += back;
  learn(serverTime);
}

test('before the first reply, the clock is that of the process', () => {
  expect(offset()).toBe(0);
});

test.each([
  ['behind', hour],
  ['ahead', -hour],
])(
  'one reply corrects a process whose clock is an hour %s, to within half the duration of the call',
  (_case, ahead) => {
    call(4, 4, ahead);
    expect(Math.abs(offset() - ahead)).toBeLessThanOrEqual(1);
    processTime += 10 * hour;
    expect(Math.abs(offset() - ahead)).toBeLessThanOrEqual(1);
  },
);

test('a slow reply does not worsen the estimate of a quick one', () => {
  call(0, 1, hour);
  call(0, 5_000, hour);
  call(5_000, 0, hour);
  expect(Math.abs(offset() - hour)).toBeLessThanOrEqual(1);
});

test('quick replies improve the estimate of a slow one', () => {
  call(0, 5_000, hour);
  call(0, 1, hour);
  expect(Math.abs(offset() - hour)).toBeLessThanOrEqual(1);
});

test('a clock that was set, or that of another server, is adopted with its first reply', () => {
  for (const ahead of [hour, -hour, 0]) {
    call(1, 1, ahead);
    expect(Math.abs(offset() - ahead)).toBeLessThanOrEqual(2);
  }
});

test('each step of more than a second is reported once, with its direction', () => {
  call(1, 1, 0);
  call(1, 1, -90_000);
  call(1, 1, -90_000);
  expect(steps).toEqual([expect.closeTo(-90_000, -1)]);
  call(1, 1, 0);
  expect(steps).toEqual([expect.closeTo(-90_000, -1), expect.closeTo(90_000, -1)]);
});

test('a first reply, a slow one and a drift are no steps', () => {
  call(1, 1, hour);
  call(0, 5_000, hour);
  call(5_000, 0, hour);
  call(1, 1, hour + 900);
  expect(steps).toEqual([]);
});

test('the clock can be synchronized with a real Redis', async () => {
  const redis = new Redis(process.env.TEST_REDIS_URL ?? '');
  const wrong = new RedisClock(() => Date.now() - hour);
  await wrong.synchronize(redis);
  expect(Math.abs(wrong.now().getTime() - Date.now())).toBeLessThan(60_000);
  redis.disconnect();
});
