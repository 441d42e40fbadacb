import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Children } from '@multi-drm/local/child-process';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '@multi-drm/local/pgbouncer-server';
import { type PostgresServer, startPostgres } from '@multi-drm/local/postgres-server';
import { readJson, writePrivateJson } from '@multi-drm/local/private-file';
import { isStillRunning, processIdentity } from '@multi-drm/local/process-identity';
import { ProcessRecord } from '@multi-drm/local/process-record';
import { type RedisServer, startRedisServer } from '@multi-drm/local/redis-server';

/** A folder for the data of test servers, with the servers that this process started there. */
export interface TestFolder {
  path: string;
  children: Children;
}

const prefix = 'multi-drm-test-';
const recordName = 'processes.json';
const never = new AbortController().signal;

/** Creates the folder of a test run in the machine's temporary folder. */
export function makeRunFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), prefix));
  writePrivateJson(join(path, 'owner.json'), { pid: process.pid, identity: processIdentity(process.pid) });
  return { path, children: new Children(new ProcessRecord(join(path, recordName))) };
}

/** Creates a folder inside the run's folder for the servers of one suite. */
export function makeSuiteFolder(runFolder: string): TestFolder {
  const path = mkdtempSync(join(runFolder, 'suite-'));
  return { path, children: new Children(new ProcessRecord(join(path, recordName))) };
}

/** Stops the servers of a run and removes its data; the servers of suites have ended with the suites' processes. */
export async function removeRunFolder(folder: TestFolder): Promise<void> {
  await folder.children.stopAll();
  await removeFolder(folder.path);
}

/** Removes the folders of killed test runs and stops the servers that they left running. */
export async function removeAbandonedRunFolders(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const path = join(tmpdir(), name);
    const owner = readJson(join(path, 'owner.json')) as { pid: number; identity: string } | undefined;
    // Without an owner, the folder is being created or belongs to another user.
    if (owner !== undefined && !isStillRunning(owner.pid, owner.identity)) await removeFolder(path);
  }
}

async function removeFolder(path: string): Promise<void> {
  const records = [path, ...readdirSync(path).map((name) => join(path, name))].map((folder) =>
    join(folder, recordName),
  );
  for (const record of records.filter((file) => existsSync(file))) await new ProcessRecord(record).stopLeftovers();
  // With retries, because a server that was just killed may still have written a file.
  rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** Neither UTC nor whole hours from it, so that a time read or written in the server's zone is noticed as wrong. */
const defaultTimeZone = 'Asia/Kolkata';

/** A PostgreSQL that can be restarted on its port after it has ended. */
export interface TestPostgresServer extends PostgresServer {
  startAgain(): Promise<TestPostgresServer>;
}

/** Starts an empty PostgreSQL that trades durability for speed. Its time zone is TEST_POSTGRES_TIME_ZONE. */
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

/** Starts a PgBouncer in transaction mode in front of a server; undefined if it is not installed. */
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
  /** The folder of the data; created if absent. */
  dataFolder: string;
  port?: number | undefined;
  /** If set, Redis runs as a cluster node with this port for the cluster bus. */
  clusterPort?: number | undefined;
  /** Default: none. */
  password?: string | undefined;
  /** Further lines of the configuration. */
  directives?: readonly string[];
  /** Default: that of this process. */
  environment?: NodeJS.ProcessEnv | undefined;
}

/** Starts a Redis. Every write to it stays in the data folder for the search at the end of the run. */
export async function startTestRedis(folder: TestFolder, options: TestRedisOptions): Promise<RedisServer> {
  const { dataFolder, appendOnly, ...settings } = options;
  mkdirSync(dataFolder, { recursive: true });
  if (!appendOnly) setFormerDataAside(dataFolder);
  const logFile = join(dataFolder, 'redis.log');
  const own = { folder: dataFolder, logFile, children: folder.children, stop: never };
  return startRedisServer({ ...settings, ...own, appendOnly: true, keepsEveryWrite: true });
}

/** Copies the data of a running Redis. Returns a function that puts the copy in place of the data, while it is stopped. */
export function copyData(dataFolder: string): () => void {
  const copy = mkdtempSync(join(dataFolder, 'copy-'));
  // Redis only appends to it. What a prefix lacks is what it lost.
  cpSync(join(dataFolder, 'appendonlydir'), copy, { recursive: true });
  return () => {
    setFormerDataAside(dataFolder);
    renameSync(copy, join(dataFolder, 'appendonlydir'));
  };
}

/** Moves the data aside, so that a restarted server starts empty and the earlier data can still be searched. */
function setFormerDataAside(dataFolder: string): void {
  const written = join(dataFolder, 'appendonlydir');
  if (existsSync(written)) renameSync(written, mkdtempSync(join(dataFolder, 'former-')));
}
