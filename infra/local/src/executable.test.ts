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

test('the first folder of the PATH that has the program wins', () => {
  for (const name of ['first', 'second']) writeFileSync(join(folder, name, 'tool'), '', { mode: 0o755 });
  expect(findExecutable('tool', path())).toBe(join(folder, 'first', 'tool'));
});

test('a dangling link, a file that is not executable and a folder are no programs', () => {
  symlinkSync(join(folder, 'nowhere'), join(folder, 'first', 'link'));
  writeFileSync(join(folder, 'first', 'text'), '', { mode: 0o644 });
  mkdirSync(join(folder, 'first', 'inner'));
  for (const name of ['link', 'text', 'inner']) expect(findExecutable(name, path())).toBeUndefined();
});

test('a program that a package removal left as a dangling link is found further down the PATH', () => {
  symlinkSync(join(folder, 'nowhere'), join(folder, 'first', 'tool'));
  writeFileSync(join(folder, 'second', 'tool'), '', { mode: 0o755 });
  expect(findExecutable('tool', path())).toBe(join(folder, 'second', 'tool'));
});
