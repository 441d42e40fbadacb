import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJson, writePrivateJson } from './private-file';
import { ProcessRecord, type RecordedProcess } from './process-record';

let folder: string;
let file: string;
const started: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'process-record-'));
  file = join(folder, 'processes.json');
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
  }
  rmSync(folder, { recursive: true });
});

async function start(): Promise<ChildProcess & { pid: number }> {
  const child = spawn('sleep', ['60']);
  started.push(child);
  await once(child, 'spawn');
  return Object.assign(child, { pid: child.pid ?? 0 });
}

test('recorded processes that an earlier run left running are stopped with their signal', async () => {
  const child = await start();
  new ProcessRecord(file).add({ name: 'left', pid: child.pid, stopSignal: 'SIGINT' });
  const exit = once(child, 'exit');
  expect(await new ProcessRecord(file).stopLeftovers()).toEqual(['left']);
  await exit;
  expect(child.signalCode).toBe('SIGINT');
  expect(readJson(file)).toEqual([]);
});

test('a process that reuses the id of a recorded one is not stopped', async () => {
  const child = await start();
  new ProcessRecord(file).add({ name: 'ended', pid: child.pid, stopSignal: 'SIGTERM' });
  const [entry] = readJson(file) as RecordedProcess[];
  writePrivateJson(file, [{ ...entry, identity: 'an earlier process' }]);
  expect(await new ProcessRecord(file).stopLeftovers()).toEqual([]);
  expect(child.exitCode ?? child.signalCode).toBeNull();
});

test('a process that has ended is removed from the record, the others stay', async () => {
  const [one, other] = [await start(), await start()];
  const record = new ProcessRecord(file);
  record.add({ name: 'one', pid: one.pid, stopSignal: 'SIGTERM' });
  record.add({ name: 'other', pid: other.pid, stopSignal: 'SIGTERM' });
  record.remove(one.pid);
  expect((readJson(file) as RecordedProcess[]).map(({ name }) => name)).toEqual(['other']);
});

test('without a record, there is nothing to stop', async () => {
  expect(await new ProcessRecord(file).stopLeftovers()).toEqual([]);
});
