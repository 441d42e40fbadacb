import { setTimeout as delay } from 'node:timers/promises';
import { Pause } from './pause';

/** Longer than any test. */
const never = 3_600_000;

/** Resolves to whether the pause outlasts a timer that starts now. Milliseconds on a clock would also count how busy the machine is. */
async function outlasts(milliseconds: number, pause: Promise<void>): Promise<boolean> {
  let over = false;
  const waiting = pause.then(() => {
    over = true;
  });
  await delay(milliseconds);
  const outlasted = !over;
  await waiting;
  return outlasted;
}

test('a pause lasts for the given time', async () => {
  expect(await outlasts(20, new Pause().wait(30))).toBe(true);
});

test('a pause that is ended is over at once', async () => {
  const pause = new Pause();
  const waiting = pause.wait(never, never);
  pause.end();
  await waiting;
});

test('a pause that is shortened, even repeatedly, still lasts for its minimum time', async () => {
  const pause = new Pause();
  const waiting = outlasts(50, pause.wait(never, 60));
  for (let times = 0; times < 100; times++) pause.shorten();
  expect(await waiting).toBe(true);
});

test('ending or shortening without a wait does nothing', async () => {
  const pause = new Pause();
  pause.end();
  pause.shorten();
  expect(await outlasts(20, pause.wait(30))).toBe(true);
});
