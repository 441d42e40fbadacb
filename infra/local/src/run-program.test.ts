import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from './run-program';
import { ReadableFailure } from './terminal-output';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-program-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => jest.restoreAllMocks());

test('a command gives its arguments to its program and ends with the exit code of it', async () => {
  const file = join(folder, 'counts.cjs');
  writeFileSync(file, 'exports.main = async (args) => args.length;');
  expect(await runProgram(file, ['one', 'two'])).toBe(2);
});

test('a command whose program fails says why and ends with 1', async () => {
  const file = join(folder, 'fails.cjs');
  writeFileSync(file, 'exports.main = async ([error]) => { throw error; };');
  const printed = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await runProgram(file, [new ReadableFailure('The disk is full.') as never])).toBe(1);
  expect(printed.mock.calls).toEqual([['\nThe disk is full.\n']]);
});

test('a program that runs in a process of its own ends when the process that started it was killed', async () => {
  const file = join(folder, 'waits.cjs');
  writeFileSync(file, "exports.main = () => new Promise(() => setInterval(() => console.log('waits'), 50));");
  const program = [process.execPath, '--conditions=source', '--import=tsx', join(__dirname, 'run-program.ts'), file];
  const shell = spawn('sh', ['-c', '"$@" & wait', 'sh', ...program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(shell.stdout, 'data');
  shell.kill('SIGKILL');
  // The program writes to the same pipe, which is closed when both have ended.
  await once(shell.stdout.resume(), 'close');
});
