import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { sourceFiles } from './imports';

const root = join(__dirname, '../..');
const files = ['packages', 'services', 'infra'].flatMap((folder) => sourceFiles(join(root, folder)));

test('a file has fewer than 300 lines', () => {
  expect(files.length).toBeGreaterThan(500);
  const long = files.filter((path) => readFileSync(path, 'utf8').trimEnd().split('\n').length >= 300);
  expect(long.map((path) => relative(root, path))).toEqual([]);
});
