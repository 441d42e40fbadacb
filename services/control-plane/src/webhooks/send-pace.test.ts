import { SendPace } from './send-pace';

let time = 1_000;
const pace = () => new SendPace(() => time);

test('messages leave at equal distances, however long nothing left before', () => {
  const limited = pace();
  expect(limited.take(4)).toBe(0);
  expect(limited.take(4)).toBe(250);
  time += 10_000;
  expect([limited.take(4), limited.take(4), limited.take(4)]).toEqual([0, 250, 500]);
});

test('without a limit they leave at once, also after there was one', () => {
  const limited = pace();
  limited.take(1);
  expect(limited.take(null)).toBe(1_000);
  expect(limited.take(null)).toBe(0);
});
