import { makeTemplate, newTemplateName } from './template-database';
import {
  makeRunFolder,
  removeAbandonedRunFolders,
  removeRunFolder,
  startTestPostgres,
  type TestFolder,
} from './test-servers';

/** For programs outside of jest: provides a PostgreSQL with a migrated template, and what test servers need, while `use` runs. */
export async function withTestServers<Result>(use: () => Promise<Result>): Promise<Result> {
  return withRunFolder(async (folder) => {
    await makeTemplate((await startTestPostgres(folder)).url('postgres'), newTemplateName());
    process.env.TEST_FOLDER = folder.path;
    return use();
  });
}

/** Provides a temporary folder while `use` runs. If this process is killed meanwhile, a later run removes the folder. */
export async function withRunFolder<Result>(use: (folder: TestFolder) => Promise<Result>): Promise<Result> {
  await removeAbandonedRunFolders();
  const folder = makeRunFolder();
  try {
    return await use(folder);
  } finally {
    await removeRunFolder(folder);
  }
}
