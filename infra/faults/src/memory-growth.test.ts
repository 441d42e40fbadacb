import { memoryGrowth } from './memory-growth';

test('memory that stays flat has not grown, even if one minute follows a garbage collection', () => {
  const playback = [125, 126, 132, 133, 104, 110, 131, 133, 134, 133, 133, 134, 134, 135, 133, 134];
  expect(memoryGrowth(playback)).toBeUndefined();
});

test('memory that grows steadily after the fifth minute has grown', () => {
  const leaking = Array.from({ length: 30 }, (_, minute) => 120 + 3 * minute);
  expect(memoryGrowth(leaking)).toEqual({ from: 138, to: 201 });
});

test('growth before the fifth minute does not count', () => {
  expect(memoryGrowth([60, 80, 100, 120, ...Array.from({ length: 12 }, () => 130)])).toBeUndefined();
});

test('a run of a few minutes is too short for a finding', () => {
  expect(memoryGrowth([100, 120, 140, 160, 180, 200])).toBeUndefined();
});
