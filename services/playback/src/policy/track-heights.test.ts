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
  expect(beginsWithin(trackType, maximumHeight)).toBe(expected);
});
