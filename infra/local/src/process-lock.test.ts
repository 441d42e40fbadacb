import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from './process-identity';
import { takeLock } from './process-lock';

let folder: string;
let file: string;
let other: ChildProcess;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'process-lock-'));
  file = join(folder, 'lock.json');
  other = spawn('sleep', ['60']);
  await once(other, 'spawn');
});
afterEach(async () => {
  if (other.signalCode === null) {
    other.kill('SIGKILL');
    await once(other, 'exit');
  }
  rmSync(folder, { recursive: true });
});

function lockOf(pid: number | undefined, identity = processIdentity(Number(pid))): void {
  writeFileSync(file, JSON.stringify({ pid, identity }));
}
const describeHolder = (pid: number): string => `process ${pid} has it`;
const holder = (): { pid: number } => JSON.parse(readFileSync(file, 'utf8')) as { pid: number };

test('a lock can be taken and released without leaving a file', () => {
  const unlock = takeLock(file, describeHolder);
  expect(holder().pid).toBe(process.pid);
  unlock();
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock held by a running process is refused with the given message', () => {
  lockOf(other.pid);
  expect(() => takeLock(file, describeHolder)).toThrow(`process ${other.pid} has it`);
  expect(holder().pid).toBe(other.pid);
  expect(readdirSync(folder)).toEqual(['lock.json']);
});

test('a lock whose holder was killed is taken over', async () => {
  lockOf(other.pid);
  other.kill('SIGKILL');
  await once(other, 'exit');
  takeLock(file, describeHolder);
  expect(holder().pid).toBe(process.pid);
  expect(readdirSync(folder)).toEqual(['lock.json']);
});

test('a lock whose process id now belongs to another process is taken over', () => {
  lockOf(other.pid, 'an earlier process');
  takeLock(file, describeHolder);
  expect(holder().pid).toBe(process.pid);
});

test.each(['', 'null', '{"pid":', '[]'])('a lock file that contains %j is taken over', (text) => {
  writeFileSync(file, text);
  takeLock(file, describeHolder);
  expect(holder().pid).toBe(process.pid);
});

test('releasing a lock does not remove the lock of another process', () => {
  const unlock = takeLock(file, describeHolder);
  lockOf(other.pid);
  unlock();
  expect(existsSync(file)).toBe(true);
});
