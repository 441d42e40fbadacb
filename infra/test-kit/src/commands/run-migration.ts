import { runToEnd } from '@multi-drm/local/child-process';
import { pnpm, repositoryFolder } from '@multi-drm/local/repository';
import { watchForStop } from '@multi-drm/local/stop-request';
import { withEmptyDatabase } from './empty-database';

/**
 * `npm run migration -- <name>`, after the packages are installed: writes the difference between the Prisma schema and the migrations
 * as a new migration. Uses the server of DATABASE_URL, or starts one. Resolves to the exit code.
 */
export async function main(args: string[]): Promise<number> {
  const stop = watchForStop();
  const command = pnpm('--filter', '@multi-drm/control-plane', 'run', 'migrations:create', ...args);
  return withEmptyDatabase(async (url) => {
    const environment = { ...process.env, DATABASE_URL: url };
    const pnpmCommand = { name: 'pnpm', command, environment, folder: repositoryFolder, output: 'inherit' } as const;
    return (await runToEnd(pnpmCommand, stop)).code;
  });
}
