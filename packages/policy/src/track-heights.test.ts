import { beginsWithin, type TrackType } from './track-heights';

test.each<[TrackType, number, boolean]>([
  ['AUDIO', 1, true],
  ['SD', 1, true],
  ['HD', 576, false],
  ['HD', 577, true],
  ['HD', 720, true],
  ['UHD1', 1080, false],
  ['UHD1', 1081, true],
  ['UHD2', 2160, false],
  ['UHD2', 2161, true],
  ['UHD2', 4320, true],
])('%s covers pictures of up to %i lines: %s', (trackType, maximumHeight, expected) => {
  expect(beginsWithin(trackType, maximumHeight, { SD: 576, HD: 1080, UHD1: 2160, UHD2: 4320 })).toBe(expected);
});

test.each<[TrackType, number]>([
  ['HD', 481],
  ['UHD1', 721],
  ['UHD2', 1441],
])('heights are configurable: %s may begin at %i lines', (trackType, lowest) => {
  const heights = { SD: 480, HD: 720, UHD1: 1440, UHD2: 4320 };
  expect(beginsWithin(trackType, lowest - 1, heights)).toBe(false);
  expect(beginsWithin(trackType, lowest, heights)).toBe(true);
});
