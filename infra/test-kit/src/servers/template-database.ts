import { randomBytes } from 'node:crypto';
// By relative path: jest's global setup loads this file outside of jest's own module resolution.
import { migrate } from '../../../../services/control-plane/src/database/migrate';
import type { DatabaseKind } from './database-kinds';
import { runOnDatabase, withDatabase } from './databases';

/** Returns a name for the template of one run; the names of its clones start with it. */
export const newTemplateName = (): string => `multi_drm_test_${randomBytes(6).toString('hex')}`;

/** Creates an empty, migrated database and sets TEST_POSTGRES_URL and TEST_DATABASE_TEMPLATE for the suites. */
export async function makeTemplate(serverUrl: string, template: string, kind?: DatabaseKind): Promise<void> {
  await runOnDatabase(serverUrl, `CREATE DATABASE "${template}" ${kind?.created ?? ''}`);
  const url = withDatabase(serverUrl, template);
  if (kind?.ownSchema) await runOnDatabase(url, `CREATE SCHEMA "${new URL(url).username}"`);
  await migrate(url);
  process.env.TEST_POSTGRES_URL = serverUrl;
  process.env.TEST_DATABASE_TEMPLATE = template;
}
