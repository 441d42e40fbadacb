import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
// By relative path: jest loads this file outside of its own module resolution.
import { migrate } from '../../../../services/control-plane/src/database/migrate';
import { findRedis } from '../redis-program';
import { dropDatabases, runOnDatabase, withDatabase } from './databases';
import { keepDatabases } from './secrets/dump-database';
import { startTestCluster } from './test-cluster';
import {
  makeRunFolder,
  removeAbandonedRunFolders,
  removeRunFolder,
  startTestPgBouncer,
  startTestPostgres,
  startTestRedis,
  type TestFolder,
} from './test-servers';

/** To one database. As many as one process of the control plane uses by itself: suites hold locks in several at once. */
const poolerConnections = 30;

interface TestEnvironment {
  /** The folder of the run. */
  folder: string;
  /** Keeps what is left of the databases, and stops the servers. */
  stop(): Promise<void>;
  /** Removes the folder. */
  remove(): Promise<void>;
}

declare global {
  /** Set by jest's global setup for its global teardown, which runs in the same process. */
  var testEnvironment: TestEnvironment | undefined;
}

/**
 * Before all suites: finds (DATABASE_URL, REDIS_URL) or starts one PostgreSQL and one Redis, migrates a template database, and
 * tells the suites by TEST_POSTGRES_URL, TEST_DATABASE_TEMPLATE, TEST_REDIS_URL and TEST_FOLDER. Beside them it starts a Redis
 * Cluster, TEST_REDIS_CLUSTER_URL; none where REDIS_URL is given and the machine has no Redis. With TEST_PGBOUNCER=1 it
 * starts a PgBouncer, TEST_PGBOUNCER_URL, through which the suites use their databases. Jest asks for a default export.
 */
export default async function globalSetup(): Promise<void> {
  await removeAbandonedRunFolders();
  const folder = makeRunFolder();
  const template = `multi_drm_test_${randomBytes(6).toString('hex')}`;
  const given = process.env.DATABASE_URL;
  const remove = async (): Promise<void> => {
    if (given) await dropDatabases(given, template);
    await removeRunFolder(folder);
  };
  try {
    // The nodes take two seconds to find each other, as long as PostgreSQL takes.
    const cluster = process.env.REDIS_URL && !findRedis() ? undefined : startTestCluster(folder);
    // Awaited below, where its failure is thrown.
    cluster?.catch(() => undefined);
    const postgresUrl = given || (await startTestPostgres(folder)).url('postgres');
    const shared = { appendOnly: false, dataFolder: join(folder.path, 'redis') };
    const redisUrl = process.env.REDIS_URL || (await startTestRedis(folder, shared)).url;
    await runOnDatabase(postgresUrl, `CREATE DATABASE "${template}"`);
    await migrate(withDatabase(postgresUrl, template));
    process.env.TEST_POSTGRES_URL = postgresUrl;
    process.env.TEST_DATABASE_TEMPLATE = template;
    if (process.env.TEST_PGBOUNCER === '1') process.env.TEST_PGBOUNCER_URL = await startPooler(folder, postgresUrl);
    process.env.TEST_REDIS_URL = redisUrl;
    if (cluster !== undefined) process.env.TEST_REDIS_CLUSTER_URL = await cluster;
    process.env.TEST_FOLDER = folder.path;
    const stop = async (): Promise<void> => {
      await keepDatabases(postgresUrl, template);
      await folder.children.stopAll();
    };
    globalThis.testEnvironment = { folder: folder.path, stop, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function startPooler(folder: TestFolder, postgresUrl: string): Promise<string> {
  const pooler = await startTestPgBouncer(folder, postgresUrl, poolerConnections);
  if (pooler === undefined) throw new Error('TEST_PGBOUNCER is set, and pgbouncer is not installed');
  return pooler.url;
}
