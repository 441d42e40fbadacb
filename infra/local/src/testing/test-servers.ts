import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Children } from '../child-process';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '../pgbouncer-server';
import { type PostgresServer, startPostgres } from '../postgres-server';
import { readJson, writePrivateJson } from '../private-file';
import { isStillRunning, processIdentity } from '../process-identity';
import { ProcessRecord } from '../process-record';
import { type RedisServer, startRedisServer } from '../redis-server';

/** A folder for the data of test servers, and the servers that this process started there. */
export interface TestFolder {
  path: string;
  children: Children;
}

const prefix = 'multi-drm-test-';
const recordName = 'processes.json';
const never = new AbortController().signal;

/** The folder of a whole test run, in the temporary folder of the machine. */
export function makeRunFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), prefix));
  writePrivateJson(join(path, 'owner.json'), { pid: process.pid, identity: processIdentity(process.pid) });
  return { path, children: new Children(new ProcessRecord(join(path, recordName))) };
}

/** A folder inside the folder of the run, for servers of a suite's own. */
export function makeSuiteFolder(runFolder: string): TestFolder {
  const path = mkdtempSync(join(runFolder, 'suite-'));
  return { path, children: new Children(new ProcessRecord(join(path, recordName))) };
}

/** Stops the servers of a run and removes its data; those of its suites have ended with the suites' processes. */
export async function removeRunFolder(folder: TestFolder): Promise<void> {
  await folder.children.stopAll();
  await removeFolder(folder.path);
}

/** Removes the folders of test runs that were killed, and stops the servers that they left running. */
export async function removeAbandonedRunFolders(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const path = join(tmpdir(), name);
    const owner = readJson(join(path, 'owner.json')) as { pid: number; identity: string } | undefined;
    // Without an owner the folder is just being made, or is another user's.
    if (owner !== undefined && !isStillRunning(owner.pid, owner.identity)) await removeFolder(path);
  }
}

async function removeFolder(path: string): Promise<void> {
  const records = [path, ...readdirSync(path).map((name) => join(path, name))].map((folder) =>
    join(folder, recordName),
  );
  for (const record of records.filter((file) => existsSync(file))) await new ProcessRecord(record).stopLeftovers();
  // Again where a server that was just killed wrote a last file meanwhile.
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Neither UTC nor whole hours away from it: a time that is read or written in the server's zone is seen to be wrong. */
const defaultTimeZone = 'Asia/Kolkata';

/** A PostgreSQL that can be started again on its port, where it has ended. */
export interface TestPostgresServer extends PostgresServer {
  startAgain(): Promise<TestPostgresServer>;
}

/** An empty PostgreSQL that trades durability for speed. Its time zone is TEST_POSTGRES_TIME_ZONE. */
export async function startTestPostgres(folder: TestFolder): Promise<TestPostgresServer> {
  const name = `postgres-${randomBytes(4).toString('hex')}`;
  const options = {
    folder: join(folder.path, name),
    password: randomBytes(16).toString('hex'),
    logFile: join(folder.path, `${name}.log`),
    durable: false,
    timeZone: process.env.TEST_POSTGRES_TIME_ZONE || defaultTimeZone,
    children: folder.children,
    stop: never,
  };
  const start = async (port?: number): Promise<TestPostgresServer> => {
    const server = await startPostgres({ ...options, port });
    return { ...server, startAgain: () => start(server.port) };
  };
  return start();
}

/** A PgBouncer in transaction mode in front of a server; undefined where the machine has none. */
export async function startTestPgBouncer(
  folder: TestFolder,
  serverUrl: string,
  connections: number,
): Promise<PgBouncer | undefined> {
  const program = findPgBouncer();
  if (program === undefined) return undefined;
  const name = `pgbouncer-${randomBytes(4).toString('hex')}`;
  const logFile = join(folder.path, `${name}.log`);
  const own = { folder: join(folder.path, name), logFile, children: folder.children, stop: never };
  return startPgBouncer({ program, serverUrl, connections, ...own });
}

export interface TestRedisOptions {
  appendOnly: boolean;
  /** Holds the data; made where absent. */
  dataFolder: string;
  port?: number | undefined;
  /** Makes it a cluster's node: the port on which the nodes talk to each other. */
  clusterPort?: number | undefined;
}

/** A Redis without a password. Every write to it stays in the data folder, for the search at the end of the run. */
export async function startTestRedis(folder: TestFolder, options: TestRedisOptions): Promise<RedisServer> {
  const { dataFolder, appendOnly, ...settings } = options;
  mkdirSync(dataFolder, { recursive: true });
  if (!appendOnly) setFormerDataAside(dataFolder);
  const logFile = join(dataFolder, 'redis.log');
  const own = { folder: dataFolder, logFile, children: folder.children, stop: never };
  return startRedisServer({ ...settings, ...own, appendOnly: true, keepsEveryWrite: true });
}

/** A server started again without its data begins with none, and what it held is still there to be searched. */
function setFormerDataAside(dataFolder: string): void {
  const written = join(dataFolder, 'appendonlydir');
  if (existsSync(written)) renameSync(written, mkdtempSync(join(dataFolder, 'former-')));
}
