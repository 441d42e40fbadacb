import { playbackProblems } from '@multi-drm/contracts';
import { readPageWords } from './page-words';

test('the page has words for every problem of playback and of the package for players, and they do not name its code', () => {
  const playerCodes = ['session_not_created', 'network_lost', 'player_error', 'contract_version_unsupported'];
  const codes = [...Object.keys(playbackProblems), ...playerCodes];
  const words = readPageWords([...codes, 'unknown_code']);
  expect(words.unknown_code).toBe('The clip cannot be played (unknown_code).');
  const wordless = codes.filter((code) => !/^[A-Z][^_()]+\.$/.test(words[code] ?? ''));
  expect(wordless).toEqual([]);
});
