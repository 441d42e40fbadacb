import { canonicalLanguages } from './canonical-languages';

test('equivalent tags become one, in the order of their first occurrence', () => {
  expect(canonicalLanguages(['EN-us', 'iw', 'en-US', 'he', 'ZH-hant-tw'])).toEqual(['en-US', 'he', 'zh-Hant-TW']);
});

test.each([
  ['X-Signs', 'x-signs'],
  ['zh-YUE', 'zh-yue'],
  ['de-1996-1996', 'de-1996-1996'],
])('the tag %s, which Intl rejects, becomes %s', (tag, canonical) => {
  expect(canonicalLanguages([tag])).toEqual([canonical]);
});
