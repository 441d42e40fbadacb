import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = `
  import { greeting } from './greeting';
  const value: string = greeting(require.resolve('./greeting'));
  void import('node:path').then(({ basename }) => console.log(value, basename(__filename), require.main === module));
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-code-'));
  writeFileSync(join(folder, 'greeting.ts'), "export const greeting = (name: string) => 'hello '.concat(name);");
  writeFileSync(join(folder, 'program.ts'), program);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Starts the program in the same test run. Returns what it prints, and the sizes of the compiled code that V8 writes and reads. */
function run() {
  const options = ['--profile-deserialization', `--require=${join(__dirname, 'compile-source.cjs')}`];
  const env = { PATH: process.env.PATH, TEST_FOLDER: folder };
  const text = String(execFileSync(process.execPath, [...options, join(folder, 'program.ts')], { env }));
  const sizes = (line: RegExp) => [...text.matchAll(line)].map(([, size]) => size);
  return {
    printed: text.match(/^hello.*$/gm),
    written: sizes(/^\[Serializing to (\d+) bytes/gm),
    read: sizes(/^\[Deserializing from (\d+) bytes/gm),
  };
}

test('a program that is started again does the same, and its modules are not compiled again', () => {
  const [first, second] = [run(), run()];
  expect(first.printed).toEqual([`hello ${join(folder, 'greeting.ts')} program.ts true`]);
  expect(second.printed).toEqual(first.printed);
  // The second does not load the compiler of TypeScript, whose code is written too.
  const modules = first.written.filter((size) => second.read.includes(size));
  expect(modules.length).toBeGreaterThanOrEqual(2);
  expect(second.written).toEqual([]);
});
