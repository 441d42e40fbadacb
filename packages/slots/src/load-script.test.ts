import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadScript } from './load-script';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scripts-'));
  mkdirSync(join(folder, 'parts'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, ...lines: string[]) => writeFileSync(join(folder, name), `${lines.join('\n')}\n`);

test('a part stands in place of the line that includes it, below the first line of the script', () => {
  write('find.lua', '#!lua flags=no-writes', '--#include now', 'return now');
  write('parts/now.lua', 'local now = 1');
  expect(loadScript(folder, 'find')).toBe('#!lua flags=no-writes\nlocal now = 1\nreturn now\n');
});

test('a part stands before the parts that need it, and only once', () => {
  write('find.lua', '#!lua', '--#include age', '--#include now', '--#include end', 'return age');
  write('parts/age.lua', '--#include now', 'local age = now - 1');
  write('parts/end.lua', '--#include now', 'local ends = now + 1');
  write('parts/now.lua', 'local now = 1');
  expect(loadScript(folder, 'find')).toBe(
    '#!lua\nlocal now = 1\nlocal age = now - 1\nlocal ends = now + 1\nreturn age\n',
  );
});

test.each(['then', 'now ', 'now.lua'])('a part that does not exist, "%s", is an error', (part) => {
  write('find.lua', '#!lua', `--#include ${part}`);
  write('parts/now.lua', 'local now = 1');
  expect(() => loadScript(folder, 'find')).toThrow(`${part}.lua`);
});

test('a part that includes itself, by way of another, is an error', () => {
  write('find.lua', '#!lua', '--#include now');
  write('parts/now.lua', '--#include age');
  write('parts/age.lua', '--#include now');
  expect(() => loadScript(folder, 'find')).toThrow('the part "now" of the script "find" includes itself');
});
