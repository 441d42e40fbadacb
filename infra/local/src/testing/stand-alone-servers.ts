import { randomBytes } from 'node:crypto';
import { migrate } from '../../../../services/control-plane/src/database/migrate';
import { runOnDatabase, withDatabase } from './databases';
import { makeRunFolder, removeAbandonedRunFolders, removeRunFolder, startTestPostgres } from './test-servers';

/** For programs outside of jest: a PostgreSQL with a migrated template, and what the suites' servers need, while it runs. */
export async function withTestServers<Result>(use: () => Promise<Result>): Promise<Result> {
  await removeAbandonedRunFolders();
  const folder = makeRunFolder();
  try {
    const url = (await startTestPostgres(folder)).url('postgres');
    const template = `multi_drm_test_${randomBytes(6).toString('hex')}`;
    await runOnDatabase(url, `CREATE DATABASE "${template}"`);
    await migrate(withDatabase(url, template));
    Object.assign(process.env, {
      TEST_POSTGRES_URL: url,
      TEST_DATABASE_TEMPLATE: template,
      TEST_FOLDER: folder.path,
    });
    return await use();
  } finally {
    await removeRunFolder(folder);
  }
}
