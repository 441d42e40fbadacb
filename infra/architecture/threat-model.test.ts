import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const document = join(__dirname, '../../docs/security.md');
const text = readFileSync(document, 'utf8');
const rows = text.split('\n').filter((line) => /^\| (?!Tries|-)/.test(line));
const named = [...text.matchAll(/\["([^\]]+)"\]\(([^)]+)\)/g)].map(([, name = '', file = '']) => ({ name, file }));

/** The text of a test file, with test names as written there. */
const namesIn = (file: string) => readFileSync(join(dirname(document), file), 'utf8').replaceAll("\\'", "'");

test('every claim of the threat model names a test', () => {
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => !/\["[^\]]+"\]\([^)]+\.test\.ts\) +\|$/.test(row))).toEqual([]);
});

test.each(named)('$file has a test named "$name"', ({ name, file }) => {
  expect(namesIn(file)).toContain(name);
});
