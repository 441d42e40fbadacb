import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { runOnDatabase, withDatabase } from '@multi-drm/local/databases';
// By relative path: jest's global setup loads this file outside of jest's own module resolution.
import { migrate } from '../../../../services/control-plane/src/database/migrate';
import type { DatabaseKind } from './database-kinds';

/** Returns a name for the template of one run; the names of its clones start with it. */
export const newTemplateName = (): string => `multi_drm_test_${randomBytes(6).toString('hex')}`;

/** Creates an empty, migrated database and sets TEST_POSTGRES_URL and TEST_DATABASE_TEMPLATE for the suites. */
export async function makeTemplate(serverUrl: string, template: string, kind?: DatabaseKind): Promise<void> {
  await runOnDatabase(serverUrl, `CREATE DATABASE "${template}" ${kind?.created ?? ''}`);
  const url = withDatabase(serverUrl, template);
  if (kind?.ownSchema) await runOnDatabase(url, `CREATE SCHEMA "${new URL(url).username}"`);
  // Few partitions, because every suite copies them.
  await migrate(url, { partitionDaysAhead: 1 });
  process.env.TEST_POSTGRES_URL = serverUrl;
  process.env.TEST_DATABASE_TEMPLATE = template;
}

/** Migrates an empty database to the current schema, or to that of another checkout by its build. */
export async function migrateDatabase(databaseUrl: string, checkout?: string): Promise<void> {
  if (checkout === undefined) {
    await migrate(databaseUrl);
    return;
  }
  execFileSync(process.execPath, [join(checkout, 'services/control-plane/dist/migrate.js')], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
