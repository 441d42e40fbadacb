import { makeTemplate, newTemplateName } from './template-database';
import { makeRunFolder, removeAbandonedRunFolders, removeRunFolder, startTestPostgres } from './test-servers';

/** For programs outside of jest: provides a PostgreSQL with a migrated template, and what test servers need, while `use` runs. */
export async function withTestServers<Result>(use: () => Promise<Result>): Promise<Result> {
  await removeAbandonedRunFolders();
  const folder = makeRunFolder();
  try {
    await makeTemplate((await startTestPostgres(folder)).url('postgres'), newTemplateName());
    process.env.TEST_FOLDER = folder.path;
    return await use();
  } finally {
    await removeRunFolder(folder);
  }
}
