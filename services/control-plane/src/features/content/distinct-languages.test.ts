import { distinctLanguages } from './distinct-languages';

test.each(['eng', 'cmn-Hans', 'sgn-US', 'EN-us', 'iw', 'x-Signs', 'zh-YUE', 'de-1996-1996'])(
  '%s stays as it is',
  (tag) => {
    expect(distinctLanguages([tag])).toEqual([tag]);
  },
);

test('of equivalent tags the first one stays, in the order of their first occurrence', () => {
  const tags = ['EN-us', 'iw', 'en-US', 'he', 'ZH-hant-tw', 'eng', 'en', 'cmn-Hans', 'zh-Hans', 'sgn-US', 'ase'];
  expect(distinctLanguages(tags)).toEqual(['EN-us', 'iw', 'ZH-hant-tw', 'eng', 'cmn-Hans', 'sgn-US']);
});

test.each([
  ['X-Signs', 'x-signs'],
  ['zh-YUE', 'zh-yue'],
])('the tags %s and %s, which Intl rejects, are the same language', (one, other) => {
  expect(distinctLanguages([one, other])).toEqual([one]);
});
