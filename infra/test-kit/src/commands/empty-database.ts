import { randomBytes } from 'node:crypto';
import { dropDatabases, runOnDatabase, withDatabase } from '@multi-drm/local/databases';
import { makeRunFolder, removeAbandonedRunFolders, removeRunFolder, startTestPostgres } from '../servers/test-servers';

/** Calls `use` with the URL of an empty database on DATABASE_URL's server, or an embedded one, and drops it afterwards. */
export async function withEmptyDatabase<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  await removeAbandonedRunFolders();
  const folder = makeRunFolder();
  const name = `multi_drm_check_${randomBytes(6).toString('hex')}`;
  try {
    const server = process.env.DATABASE_URL || (await startTestPostgres(folder)).url('postgres');
    await runOnDatabase(server, `CREATE DATABASE "${name}"`);
    try {
      return await use(withDatabase(server, name));
    } finally {
      await dropDatabases(server, name);
    }
  } finally {
    await removeRunFolder(folder);
  }
}
