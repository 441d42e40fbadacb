import { Pause } from './pause';

/** Longer than any test. */
const never = 3_600_000;

async function waited(pause: Promise<void>): Promise<number> {
  const since = performance.now();
  await pause;
  return performance.now() - since;
}

test('a pause lasts for the given time', async () => {
  expect(await waited(new Pause().wait(30))).toBeGreaterThan(28);
});

test('a pause that is ended is over at once', async () => {
  const pause = new Pause();
  const waiting = pause.wait(never, never);
  pause.end();
  await waiting;
});

test('a pause that is shortened, even repeatedly, still lasts for its minimum time', async () => {
  const pause = new Pause();
  const waiting = waited(pause.wait(never, 60));
  for (let times = 0; times < 100; times++) pause.shorten();
  expect(await waiting).toBeGreaterThan(58);
});

test('ending or shortening without a wait does nothing', async () => {
  const pause = new Pause();
  pause.end();
  pause.shorten();
  expect(await waited(pause.wait(30))).toBeGreaterThan(28);
});
