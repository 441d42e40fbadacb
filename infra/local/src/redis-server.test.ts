import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Children } from './child-process';
import { ProcessRecord } from './process-record';
import { type RedisServer, startRedisServer } from './redis-server';

let folder: string;
let children: Children;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redis-server-'));
  children = new Children(new ProcessRecord(join(folder, 'processes.json')));
});
afterEach(async () => {
  await children.stopAll();
  rmSync(folder, { recursive: true });
});

async function start(options: { appendOnly?: boolean; port?: number } = {}): Promise<RedisServer> {
  return startRedisServer({
    folder: join(folder, 'a "data" folder'),
    logFile: join(folder, 'redis.log'),
    password: 'secret',
    appendOnly: true,
    children,
    stop: new AbortController().signal,
    ...options,
  });
}

/** Sends inline commands to Redis; resolves to its replies. */
async function ask(port: number, ...commands: string[]): Promise<string> {
  const socket = createConnection(port, '127.0.0.1');
  socket.end(`${[...commands, 'QUIT'].join('\r\n')}\r\n`);
  let answer = '';
  for await (const part of socket) answer += String(part);
  return answer;
}

test('writes survive a restart and a kill', async () => {
  const first = await start();
  await ask(first.port, 'AUTH secret', 'SET kept 1');
  await first.child.stop();
  const second = await start();
  expect(await ask(second.port, 'AUTH secret', 'GET kept')).toContain('$1\r\n1\r\n');
  await ask(second.port, 'AUTH secret', 'SET kept 2');
  second.child.process.kill('SIGKILL');
  await second.child.ended;
  const third = await start();
  expect(await ask(third.port, 'AUTH secret', 'GET kept')).toContain('$1\r\n2\r\n');
});

test('access requires the password, which is in a file that only its owner may read', async () => {
  const { port, child } = await start();
  expect(await ask(port, 'GET kept')).toContain('-NOAUTH');
  const file = join(folder, 'a "data" folder', 'redis.conf');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  if (process.platform === 'linux') expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).not.toContain('secret');
});

test('no keys are evicted', async () => {
  const { port } = await start();
  expect(await ask(port, 'AUTH secret', 'CONFIG GET maxmemory-policy')).toContain('noeviction');
});

test('a failed start is reported with the end of the log', async () => {
  const { port } = await start();
  await expect(start({ port })).rejects.toThrow(
    /Redis did not start\. The end of .*redis\.log:\n(.*\n)*.*already in use/,
  );
});
