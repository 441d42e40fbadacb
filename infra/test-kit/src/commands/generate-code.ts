import { runToEnd } from '@multi-drm/local/child-process';
import { repositoryFolder, turbo } from '@multi-drm/local/repository';
import type { watchForStop } from '@multi-drm/local/stop-request';
import { ReadableFailure } from '@multi-drm/local/terminal-output';

/** Generates the types and the Prisma client, which the suites need and a clone lacks. Throws a `ReadableFailure`. */
export async function generateCode(stop: ReturnType<typeof watchForStop>): Promise<void> {
  const generate = { name: 'turbo', ...turbo('generate'), folder: repositoryFolder, output: 'inherit' } as const;
  const { code } = await runToEnd(generate, stop);
  if (code !== 0) throw new ReadableFailure('The code could not be generated; see the reason above.');
}
