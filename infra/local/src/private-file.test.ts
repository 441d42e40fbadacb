import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJson, writePrivateFile, writePrivateJson } from './private-file';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-file-'));
  file = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('only the owner may read the file, even if a readable one existed before', () => {
  writeFileSync(file, 'old', { mode: 0o644 });
  writePrivateFile(file, 'new');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a reader of the open old file still sees the old text: the file is replaced, not overwritten', () => {
  writePrivateFile(file, 'the old text');
  const reader = openSync(file, 'r');
  writePrivateFile(file, 'the new text');
  expect(readFileSync(reader, 'utf8')).toBe('the old text');
  expect(readFileSync(file, 'utf8')).toBe('the new text');
  closeSync(reader);
});

test('no other file is left behind', () => {
  writePrivateFile(file, 'text');
  expect(readdirSync(folder)).toEqual(['file']);
});

test('a value written as JSON can be read again, and an absent file is undefined', () => {
  expect(readJson(file)).toBeUndefined();
  writePrivateJson(file, { a: [1] });
  expect(readJson(file)).toEqual({ a: [1] });
});
