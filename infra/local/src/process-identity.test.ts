import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { isStillRunning, processIdentity } from './process-identity';

const started: ChildProcessWithoutNullStreams[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
});

function start(command: string, ...args: string[]): ChildProcessWithoutNullStreams & { pid: number } {
  const child = spawn(command, args);
  started.push(child);
  if (child.pid === undefined) throw new Error(`${command} did not start`);
  return Object.assign(child, { pid: child.pid });
}

function nameOf(pid: number): string {
  return spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
}

test('a process keeps its identity while it runs and has none afterwards', async () => {
  const child = start('sleep', '60');
  const identity = processIdentity(child.pid);
  expect(identity).toBeDefined();
  expect(processIdentity(child.pid)).toBe(identity);
  child.kill();
  await once(child, 'exit');
  expect(processIdentity(child.pid)).toBeUndefined();
  expect(isStillRunning(child.pid, String(identity))).toBe(false);
});

test('two processes have different identities', async () => {
  const earlier = processIdentity(process.pid);
  expect(processIdentity(start('sleep', '60').pid)).not.toBe(earlier);
});

test('a zombie process counts as ended', async () => {
  // The shell starts a process that ends on request, prints its id and then execs a program that never waits for it.
  const parent = start('sh', '-c', 'exec 3<&0; read line <&3 & echo $!; exec sleep 60');
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(line.toString());
  expect(processIdentity(pid)).toBeDefined();
  // The shell itself might still wait for it.
  while (nameOf(parent.pid) !== 'sleep') await new Promise((resolve) => setImmediate(resolve));
  parent.stdin.end('end\n');
  // There is no notification of its end, so poll.
  while (processIdentity(pid) !== undefined) await new Promise((resolve) => setImmediate(resolve));
  expect(() => process.kill(pid, 0)).not.toThrow();
});
