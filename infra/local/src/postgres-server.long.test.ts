import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Children } from './child-process';
import { runOnDatabase } from './databases';
import { ensureDatabase, type PostgresServer, startPostgres } from './postgres-server';
import { ProcessRecord } from './process-record';

let folder: string;
let children: Children;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'postgres-server-'));
  children = new Children(new ProcessRecord(join(folder, 'processes.json')));
});
afterEach(() => children.stopAll());
afterAll(() => rmSync(folder, { recursive: true }));

async function start(name = 'data', stop = new AbortController().signal): Promise<PostgresServer> {
  const logFile = join(folder, 'postgres.log');
  return startPostgres({ folder: join(folder, name), password: 'secret', logFile, durable: true, children, stop });
}

test('commits survive a restart and a kill', async () => {
  const first = await start();
  await ensureDatabase(first, 'kept');
  await runOnDatabase(first.url('kept'), 'CREATE TABLE rows (id int)');
  await first.child.stop();
  const second = await start();
  await ensureDatabase(second, 'kept');
  await runOnDatabase(second.url('kept'), 'INSERT INTO rows VALUES (1)');
  second.child.process.kill('SIGKILL');
  await second.child.ended;
  const third = await start();
  expect(await runOnDatabase(third.url('kept'), 'SELECT id FROM rows')).toEqual([{ id: 1 }]);
});

test('commits survive a crash of the machine', async () => {
  const settings = "SELECT current_setting('fsync') || current_setting('synchronous_commit') AS value";
  const { url } = await start();
  expect(await runOnDatabase(url('postgres'), settings)).toEqual([{ value: 'onon' }]);
});

test('a wrong password is refused', async () => {
  const { url } = await start();
  await expect(runOnDatabase(url('postgres').replace('secret', 'guess'), 'SELECT 1')).rejects.toThrow('password');
});

test('a pid file whose id now belongs to another program does not prevent PostgreSQL from starting', async () => {
  const { child } = await start();
  child.process.kill('SIGKILL');
  await child.ended;
  // Not this process: PostgreSQL knows that its parent is not another server.
  const program = spawn('sleep', ['60']);
  await once(program, 'spawn');
  writeFileSync(join(folder, 'data', 'postmaster.pid'), `${program.pid}\n`);
  try {
    await expect(start()).resolves.toBeDefined();
  } finally {
    program.kill('SIGKILL');
  }
});

test('an incomplete data folder is created again', async () => {
  const stop = AbortSignal.abort(new Error('stopped'));
  await expect(start('other', stop)).rejects.toThrow('stopped');
  expect(existsSync(join(folder, 'other'))).toBe(false);
  await expect(start('other')).resolves.toBeDefined();
});
