import { runToEnd } from '@multi-drm/local/child-process';
import { pnpm, repositoryFolder } from '@multi-drm/local/repository';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printFailure } from '@multi-drm/local/terminal-output';
import { withEmptyDatabase } from './empty-database';

/**
 * `npm run migration -- <name>`, after the packages are installed: writes the difference between the Prisma schema and the migrations
 * as a new migration. Uses the server of DATABASE_URL, or starts one. Resolves to the exit code.
 */
export async function main(): Promise<number> {
  const stop = watchForStop();
  const command = pnpm('--filter', '@multi-drm/control-plane', 'run', 'migrations:create', ...process.argv.slice(2));
  try {
    return await withEmptyDatabase(async (url) => {
      const environment = { ...process.env, DATABASE_URL: url };
      const { code } = await runToEnd(
        { name: 'pnpm', command, environment, folder: repositoryFolder, output: 'inherit' },
        stop,
      );
      return code ?? 1;
    });
  } catch (error) {
    printFailure(error);
    return 1;
  }
}
