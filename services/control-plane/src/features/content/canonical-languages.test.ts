import { canonicalLanguages } from './canonical-languages';

test('tags that mean the same become one, in the order of their first appearance', () => {
  expect(canonicalLanguages(['EN-us', 'iw', 'en-US', 'he', 'ZH-hant-tw'])).toEqual(['en-US', 'he', 'zh-Hant-TW']);
});

test.each([
  ['X-Signs', 'x-signs'],
  ['zh-YUE', 'zh-yue'],
  ['de-1996-1996', 'de-1996-1996'],
])('the tag %s, which Intl refuses, becomes %s', (tag, canonical) => {
  expect(canonicalLanguages([tag])).toEqual([canonical]);
});
