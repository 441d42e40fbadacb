import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findExecutable } from './executable';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'executable-'));
  for (const name of ['first', 'second']) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true }));

const path = (): string => [join(folder, 'first'), '', join(folder, 'second')].join(delimiter);

test('the first folder on the PATH that has the program is used', () => {
  for (const name of ['first', 'second']) writeFileSync(join(folder, name, 'tool'), '', { mode: 0o755 });
  expect(findExecutable('tool', path())).toBe(join(folder, 'first', 'tool'));
});

test('a dangling link, a non-executable file and a folder are not programs', () => {
  symlinkSync(join(folder, 'nowhere'), join(folder, 'first', 'link'));
  writeFileSync(join(folder, 'first', 'text'), '', { mode: 0o644 });
  mkdirSync(join(folder, 'first', 'inner'));
  for (const name of ['link', 'text', 'inner']) expect(findExecutable(name, path())).toBeUndefined();
});

test('a program that is a dangling link in one folder is found in a later folder', () => {
  symlinkSync(join(folder, 'nowhere'), join(folder, 'first', 'tool'));
  writeFileSync(join(folder, 'second', 'tool'), '', { mode: 0o755 });
  expect(findExecutable('tool', path())).toBe(join(folder, 'second', 'tool'));
});
