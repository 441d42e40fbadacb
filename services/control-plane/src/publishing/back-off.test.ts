import { backOffMilliseconds } from './back-off';

test.each([
  [1, 100, 200],
  [2, 200, 400],
  [5, 1_600, 3_200],
  [6, 2_500, 5_000],
  [10_000, 2_500, 5_000],
])('after %d failures the wait is from %d to %d ms', (failures, least, most) => {
  expect(backOffMilliseconds(failures, () => 0)).toBe(least);
  expect(backOffMilliseconds(failures, () => 1)).toBe(most);
});

test('it is never longer than the given maximum', () => {
  expect(backOffMilliseconds(10, () => 1, 500)).toBe(500);
});
