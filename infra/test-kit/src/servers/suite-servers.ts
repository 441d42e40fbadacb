import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dropDatabase, runOnDatabase, withDatabase } from '@multi-drm/local/databases';
import { keepDatabase } from '../secrets/dump-database';
import { rememberSecrets } from '../secrets/kept-files';
import { secretsOfSettings } from '../secrets/secret-kinds';
import { type RedisOfRun, startRedisOfRun } from './run-redis';
import { startTestCluster, type TestCluster, type TestClusterOptions } from './test-cluster';
import { startTestSentinel, type TestSentinel, type TestSentinelOptions } from './test-sentinel';
import { copyData, makeSuiteFolder, startTestPgBouncer, startTestPostgres, startTestRedis } from './test-servers';

/** A migrated database for one suite. */
export interface TestDatabase {
  /** Connection string, through a pooler if the run has one. */
  url: string;
  /** Connection string without the pooler, for what a pooler does not support. */
  directUrl: string;
  /** Keeps its rows for the search at the end of the run and drops it, even with open connections. */
  drop(): Promise<void>;
}

/** Creates an empty, migrated database by cloning the template from the global setup. With another template, it is a clone of that. */
export async function cloneDatabase(template = required('TEST_DATABASE_TEMPLATE')): Promise<TestDatabase> {
  const server = required('TEST_POSTGRES_URL');
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  // Copying files takes a quarter of the processor time of writing them to the log first, which is the default.
  await runOnDatabase(server, `CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY FILE_COPY`);
  const directUrl = withDatabase(server, name);
  const url = withDatabase(process.env.TEST_PGBOUNCER_URL ?? server, name);
  const drop = async (): Promise<void> => {
    await keepDatabase(directUrl);
    await dropDatabase(server, name);
  };
  return { url, directUrl, drop };
}

/** A pooler for one suite. */
export interface TestPgBouncer {
  /** Returns the connection string of a database of the run's server through the pooler. */
  url(database: TestDatabase): string;
  /** Also happens when the suite's process ends. */
  stop(): Promise<void>;
}

/**
 * Starts a PgBouncer in transaction mode with this many connections to each database; resolves to undefined if PgBouncer is not
 * installed.
 */
export async function startPgBouncer(connections: number): Promise<TestPgBouncer | undefined> {
  const folder = makeSuiteFolder(required('TEST_FOLDER'));
  const pooler = await startTestPgBouncer(folder, required('TEST_POSTGRES_URL'), connections);
  if (pooler === undefined) return undefined;
  return {
    url: ({ directUrl }) => withDatabase(pooler.url, new URL(directUrl).pathname.slice(1)),
    stop: () => pooler.child.stop(),
  };
}

/** A PostgreSQL for one suite, which can crash and restart. */
export interface TestPostgres {
  /** The connection string of an empty database. */
  url: string;
  /**
   * Ends every connection and the server at once (`pg_ctl stop -m immediate`) and restarts it on the same port, when `meanwhile` has
   * resolved.
   */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>;
  /** Keeps its rows for the search at the end of the run. The server also stops when the suite's process ends. */
  stop(): Promise<void>;
}

/** Starts a PostgreSQL on a free port. */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = makeSuiteFolder(required('TEST_FOLDER'));
  let running = await startTestPostgres(folder);
  const url = running.url('postgres');
  return {
    url,
    restart: async (meanwhile) => {
      running.child.process.kill('SIGQUIT');
      await running.child.ended;
      await meanwhile?.();
      running = await running.startAgain();
    },
    stop: async () => {
      await keepDatabase(url);
      await running.child.stop();
    },
  };
}

/** A Redis for one suite, which can be stopped, suspended and restarted. */
export interface TestRedis {
  url: string;
  port: number;
  /** The running process, for signals such as SIGSTOP and SIGKILL. */
  readonly process: ChildProcess;
  /** Resolves when the process has ended. Its data is removed with the test run. */
  stop(): Promise<void>;
  /** Restarts it on the same port after it was stopped or killed; with `appendOnly`, its data is preserved. */
  start(): Promise<void>;
  /** Copies its data, as a backup does. Returns a function that stops it and starts it with the copy. Needs `appendOnly`. */
  copy(): () => Promise<void>;
}

/** Starts a Redis on a free port. The suite stops it; it also stops when the suite's process ends. */
export async function startRedis(
  options: { appendOnly?: boolean; environment?: NodeJS.ProcessEnv | undefined } = {},
): Promise<TestRedis> {
  const folder = makeSuiteFolder(required('TEST_FOLDER'));
  const own = { appendOnly: options.appendOnly ?? false, dataFolder: folder.path, environment: options.environment };
  const { url, port, child } = await startTestRedis(folder, own);
  let running = child;
  const start = async (): Promise<void> => {
    await running.stop();
    running = (await startTestRedis(folder, { ...own, port })).child;
  };
  return {
    url,
    port,
    get process() {
      return running.process;
    },
    stop: () => running.stop(),
    start,
    copy: () => {
      const putBack = copyData(folder.path);
      return async () => {
        await running.stop();
        putBack();
        await start();
      };
    },
  };
}

/** The settings of a service that uses the Redis that suites share; see `TEST_REDIS` in the global setup. */
export function sharedRedisSettings(): Record<string, string> {
  return JSON.parse(required('TEST_REDIS_SETTINGS'));
}

/** A Redis for one suite, of the kind that the run uses. */
export interface TestRedisOfRun extends RedisOfRun {
  /** Also happens when the suite's process ends. */
  stop(): Promise<void>;
}

/** Starts a Redis of the kind that the run uses, for a suite that empties it. */
export async function startOwnRedis(): Promise<TestRedisOfRun> {
  const folder = makeSuiteFolder(required('TEST_FOLDER'));
  return { ...(await startRedisOfRun(folder)), stop: () => folder.children.stopAll() };
}

/** A Redis Cluster for one suite. */
export interface TestRedisCluster extends TestCluster {
  /** The URL of one of its nodes. */
  url: string;
  /** Also happens when the suite's process ends. */
  stop(): Promise<void>;
}

/** Starts a Redis Cluster with three primaries. */
export async function startRedisCluster(options: TestClusterOptions = {}): Promise<TestRedisCluster> {
  const folder = makeSuiteFolder(required('TEST_FOLDER'));
  const cluster = await startTestCluster(folder, options);
  rememberSecrets(secretsOfSettings(cluster.settings));
  return { ...cluster, url: cluster.nodes[0]?.url ?? '', stop: () => folder.children.stopAll() };
}

/** A Redis with a replica and a Sentinel for one suite. */
export interface TestRedisSentinel extends TestSentinel {
  /** Also happens when the suite's process ends. */
  stop(): Promise<void>;
}

/** Starts a Redis with a replica and a Sentinel. */
export async function startRedisSentinel(options: TestSentinelOptions = {}): Promise<TestRedisSentinel> {
  const folder = makeSuiteFolder(required('TEST_FOLDER'));
  const sentinel = await startTestSentinel(folder, options);
  rememberSecrets(secretsOfSettings(sentinel.settings));
  return { ...sentinel, stop: () => folder.children.stopAll() };
}

function required(variable: string): string {
  const value = process.env[variable];
  if (!value)
    throw new Error(
      `${variable} is not set: run the suites with npm test; needed-servers.ts defines which servers they get`,
    );
  return value;
}
