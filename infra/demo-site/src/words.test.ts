import { playbackProblems } from '@multi-drm/contracts';
import { readPageWords } from './page-words';

test('the page has words for every problem of playback, and they do not name its code', () => {
  const codes = Object.keys(playbackProblems);
  const words = readPageWords([...codes, 'unknown_code']);
  expect(words.unknown_code).toBe('The clip cannot be played (unknown_code).');
  const wordless = codes.filter((code) => !/^[A-Z][^_()]+\.$/.test(words[code] ?? ''));
  expect(wordless).toEqual([]);
});
