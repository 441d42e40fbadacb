import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Children, type RunningChild, runToEnd } from './child-process';
import { readJson } from './private-file';
import { processIdentity } from './process-identity';
import { ProcessRecord } from './process-record';

let folder: string;
let children: Children;
const never = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'child-process-'));
  children = new Children(new ProcessRecord(join(folder, 'processes.json')));
});
afterEach(async () => {
  await children.stopAll();
  rmSync(folder, { recursive: true });
});

const logFile = (): string => join(folder, 'log');
function startShell(script: string): Promise<RunningChild> {
  return children.start({ name: 'shell', command: ['sh', '-c', script], output: { logFile: logFile() } });
}

test('the exit code of a process is known once it has ended', async () => {
  const child = await startShell('sleep 0; exit 3');
  expect(await child.ended).toEqual({ code: 3, signal: null });
  expect(child.end()).toEqual({ code: 3, signal: null });
});

test('a process is recorded while it runs', async () => {
  const child = await startShell('exec sleep 60');
  expect(readJson(join(folder, 'processes.json'))).toMatchObject([{ name: 'shell', pid: child.pid }]);
  await child.stop();
  expect(readJson(join(folder, 'processes.json'))).toEqual([]);
});

test('a suspended process is stopped too', async () => {
  const child = await startShell('exec sleep 60');
  child.process.kill('SIGSTOP');
  // Wait until it is suspended: signals that arrive together could be handled in another order.
  while (!stateOf(child.pid).startsWith('T')) await new Promise((resolve) => setImmediate(resolve));
  await child.stop();
  expect(child.end()).toEqual({ code: null, signal: 'SIGTERM' });
});

test('the youngest process is stopped first', async () => {
  const ended: string[] = [];
  for (const name of ['store', 'service']) {
    const child = await startShell('exec sleep 60');
    void child.ended.then(() => ended.push(name));
  }
  await children.stopAll();
  expect(ended).toEqual(['service', 'store']);
});

test('standard output and standard error go to the log', async () => {
  const child = await startShell('echo one; echo two >&2');
  await child.ended;
  expect(readFileSync(logFile(), 'utf8')).toBe('one\ntwo\n');
});

test('stopping a command early also stops the processes that it started', async () => {
  const stop = new AbortController();
  const pidFile = join(folder, 'pid');
  const command = ['sh', '-c', `sleep 60 & echo $! > ${pidFile}; echo started; wait`] as const;
  const output = { logFile: logFile() };
  const result = runToEnd({ name: 'shell', command, output }, stop.signal);
  while (readLog() !== 'started\n') await new Promise((resolve) => setImmediate(resolve));
  stop.abort(new Error('stopped'));
  await expect(result).rejects.toThrow('stopped');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  while (processIdentity(pid) !== undefined) await new Promise((resolve) => setImmediate(resolve));
});

test('the complete output of a command can be read', async () => {
  const command = ['sh', '-c', 'yes äöü | head -n 50000; exit 2'] as const;
  const result = await runToEnd({ name: 'shell', command, output: 'capture-standard-output' }, never);
  expect(result).toEqual({ code: 2, standardOutput: 'äöü\n'.repeat(50_000) });
});

function stateOf(pid: number): string {
  return spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
}

function readLog(): string {
  try {
    return readFileSync(logFile(), 'utf8');
  } catch {
    // Does not exist yet.
    return '';
  }
}
