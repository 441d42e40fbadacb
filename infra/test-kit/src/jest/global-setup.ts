import { join } from 'node:path';
import { dropDatabases, runOnDatabase } from '@multi-drm/local/databases';
import { findRedis } from '@multi-drm/local/redis-program';
import { keepDatabases } from '../secrets/dump-database';
import { createRole, databaseKindOfRun } from '../servers/database-kinds';
import { redisKindOfRun, startRedisOfRun } from '../servers/run-redis';
import { makeTemplate, newTemplateName } from '../servers/template-database';
import { startTestCluster } from '../servers/test-cluster';
import {
  makeRunFolder,
  removeAbandonedRunFolders,
  removeRunFolder,
  startTestPgBouncer,
  startTestPostgres,
  startTestRedis,
  type TestFolder,
} from '../servers/test-servers';
import { allServers, findSuites, type NeededServers, neededServers } from './needed-servers';

/** Per database: as many as one control plane process uses, because suites hold locks on several at the same time. */
const poolerConnections = 30;

interface TestEnvironment {
  /** The folder of the run. */
  folder: string;
  /** Dumps the remaining databases and stops the servers. */
  stop(): Promise<void>;
  /** Removes the folder. */
  remove(): Promise<void>;
}

declare global {
  /** Set by jest's global setup for its global teardown, which runs in the same process. */
  var testEnvironment: TestEnvironment | undefined;
}

/** The suites selected by jest's arguments. */
interface ChosenSuites {
  rootDir: string;
  testPathPatterns: { isSet(): boolean; toExecutor(options: { rootDir: string }): { isMatch(path: string): boolean } };
}

function serversOf({ rootDir, testPathPatterns }: ChosenSuites, roots: string[]): NeededServers {
  if (!testPathPatterns.isSet()) return allServers;
  const chosen = testPathPatterns.toExecutor({ rootDir });
  return neededServers(findSuites(roots).filter((suite) => chosen.isMatch(join(rootDir, suite))));
}

/**
 * Before all suites: uses (DATABASE_URL, REDIS_URL) or starts one PostgreSQL and one Redis, migrates a template database, and sets
 * TEST_POSTGRES_URL, TEST_DATABASE_TEMPLATE, TEST_REDIS_URL and TEST_FOLDER for the suites. It also starts a Redis Cluster,
 * TEST_REDIS_CLUSTER_URL, unless REDIS_URL is set and Redis is not installed. With TEST_PGBOUNCER=1, it starts a PgBouncer,
 * TEST_PGBOUNCER_URL, through which the suites use their databases. If paths select some suites, it starts only the servers that
 * these need. With TEST_DATABASE, databases are of that kind (`usableKinds`). TEST_REDIS_SETTINGS has the settings of a service that uses
 * the shared Redis: TEST_REDIS_URL, or with TEST_REDIS=sentinel or TEST_REDIS=cluster another one of that kind. Jest requires a default
 * export.
 */
export default async function globalSetup(chosen: ChosenSuites, { roots }: { roots: string[] }): Promise<void> {
  const needed = serversOf(chosen, roots);
  await removeAbandonedRunFolders();
  const folder = makeRunFolder();
  const template = newTemplateName();
  const given = process.env.DATABASE_URL;
  const remove = async (): Promise<void> => {
    if (given) await dropDatabases(given, template);
    await removeRunFolder(folder);
  };
  try {
    // The Redis nodes take two seconds to find each other, as long as PostgreSQL takes.
    const servers = [
      ...(needed.postgres ? [preparePostgres(folder, template)] : []),
      ...(needed.redis ? [prepareRedis(folder), prepareCluster(folder)] : []),
    ];
    // Wait for all of them before a failure removes the folder.
    await Promise.allSettled(servers);
    await Promise.all(servers);
    process.env.TEST_FOLDER = folder.path;
    const stop = async (): Promise<void> => {
      const { TEST_POSTGRES_URL: postgresUrl } = process.env;
      if (postgresUrl) await keepDatabases(postgresUrl, template);
      await folder.children.stopAll();
    };
    globalThis.testEnvironment = { folder: folder.path, stop, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function preparePostgres(folder: TestFolder, template: string): Promise<void> {
  const kind = databaseKindOfRun();
  const server = process.env.DATABASE_URL || (await startPostgres(folder));
  const url = kind === undefined ? server : await createRole(server, kind);
  await makeTemplate(url, template, kind);
  if (process.env.TEST_PGBOUNCER === '1') process.env.TEST_PGBOUNCER_URL = await startPooler(folder, url);
}

/** Starts PostgreSQL without autovacuum, which would start a process for each of the suites' databases every minute. */
async function startPostgres(folder: TestFolder): Promise<string> {
  const url = (await startTestPostgres(folder)).url('postgres');
  await runOnDatabase(url, 'ALTER SYSTEM SET autovacuum = off');
  await runOnDatabase(url, 'SELECT pg_reload_conf()');
  return url;
}

async function prepareRedis(folder: TestFolder): Promise<void> {
  const own = { appendOnly: false, dataFolder: join(folder.path, 'redis') };
  const url = process.env.REDIS_URL || (await startTestRedis(folder, own)).url;
  process.env.TEST_REDIS_URL = url;
  const settings = redisKindOfRun() === 'single' ? { REDIS_URL: url } : (await startRedisOfRun(folder)).settings;
  process.env.TEST_REDIS_SETTINGS = JSON.stringify(settings);
}

async function prepareCluster(folder: TestFolder): Promise<void> {
  if (process.env.REDIS_URL && !findRedis()) return;
  const { nodes } = await startTestCluster(folder);
  process.env.TEST_REDIS_CLUSTER_URL = nodes[0]?.url ?? '';
}

async function startPooler(folder: TestFolder, postgresUrl: string): Promise<string> {
  const pooler = await startTestPgBouncer(folder, postgresUrl, poolerConnections);
  if (pooler === undefined) throw new Error('TEST_PGBOUNCER is set, and pgbouncer is not installed');
  return pooler.url;
}
