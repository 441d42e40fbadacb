import { someOf } from './extent';

const variants = ['a', 'b', 'c', 'd', 'e'];

test('the things next to each other get different variants, and together all', () => {
  expect([0, 1, 2].map((nth) => someOf(variants, nth, 2))).toEqual([
    ['a', 'c', 'e'],
    ['b', 'd'],
    ['a', 'c', 'e'],
  ]);
});

test('fuzzing tries all variants', () => {
  process.env.FUZZ_RUNS = '5';
  jest.isolateModules(() => {
    expect(require('./extent').someOf(variants, 1, 2)).toEqual(variants);
  });
});
