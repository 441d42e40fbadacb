import { retryPause } from './retry-schedule';

const now = Date.parse('2026-03-01T10:00:00Z');
const schedule = { retrySeconds: [5, 300], now, random: 0 };
const pause = (attempts: number, retryAfter?: string, random = 0) =>
  retryPause({ attempts, retryAfter }, { ...schedule, random });

test('each failed attempt has its pause, and the last one none', () => {
  expect([pause(1), pause(2), pause(3)]).toEqual([5_000, 300_000, undefined]);
});

test('pauses become longer by up to a tenth', () => {
  expect(pause(2, undefined, 0.5)).toBe(315_000);
});

test.each([
  ['a longer time', '60', 60_000],
  ['a shorter time', '1', 5_000],
  ['a date', 'Sun, 01 Mar 2026 10:01:00 GMT', 60_000],
  ['more than a day', '86401', 86_400_000],
  ['a date in a year', 'Mon, 01 Mar 2027 10:00:00 GMT', 86_400_000],
  ['nothing that can be read', 'later', 5_000],
])('a receiver that asks for %s gets it, within a day and not before the plan', (_what, retryAfter, expected) => {
  expect(pause(1, retryAfter)).toBe(expected);
});

test('asking for another attempt does not add one', () => {
  expect(pause(3, '60')).toBeUndefined();
});
