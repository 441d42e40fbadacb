import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { playbackProblems } from './registry';

const guide = readFileSync(join(__dirname, '../../../../docs/playback-integration.md'), 'utf8');

test('the integration guide lists every problem of playback once, as in the registry, with what to do', () => {
  const table = guide.split(/^## /m).find((section) => section.startsWith('Problems\n')) ?? '';
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (\d+) +\| (yes|no) +\| (\S.*?) +\|$/gm)];
  const documented = rows.map(([, code = '', status, retryable]) => [
    code,
    { status: Number(status), retryable: retryable === 'yes' },
  ]);
  expect(documented).toHaveLength(Object.keys(playbackProblems).length);
  expect(Object.fromEntries(documented)).toEqual(
    Object.fromEntries(
      Object.entries(playbackProblems).map(([code, { status, retryable }]) => [code, { status, retryable }]),
    ),
  );
});

test('the integration guide names no unknown problem code', () => {
  const named = [...guide.matchAll(/\b4\d\d `(\w+)`/g)].map(([, code = '']) => code);
  expect(named.filter((code) => !(code in playbackProblems))).toEqual([]);
  expect(named.length).toBeGreaterThan(10);
});

test('the integration guide says for every problem who must act and what to tell a viewer', () => {
  const table = guide.split(/^### /m).find((section) => section.startsWith('Messages for viewers\n')) ?? '';
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (\S.*?) +\| (\S.*?) +\|$/gm)];
  expect(rows.map(([, code = '']) => code).sort()).toEqual(Object.keys(playbackProblems).sort());
  const toViewers = rows.map(([, , , words = '']) => words);
  expect(toViewers.filter((words) => Object.keys(playbackProblems).some((code) => words.includes(code)))).toEqual([]);
});
