import { runToEnd } from './child-process';
import { runLocally } from './local-run';
import { repositoryFolder, turbo } from './repository';
import { fromBuild } from './services';
import { printLine, ReadableFailure } from './terminal-output';

/** `npm start`, after the packages are installed; resolves to the exit code when everything has stopped. */
export async function main(): Promise<number> {
  return runLocally({ environment: process.env, build, launcher: fromBuild });
}

async function build(stop: AbortSignal): Promise<void> {
  printLine('Building: up to two minutes the first time, a few seconds if nothing has changed');
  const { code } = await runToEnd(
    { name: 'turbo', ...turbo('build'), folder: repositoryFolder, output: 'inherit' },
    stop,
  );
  if (code !== 0) throw new ReadableFailure('The build failed; see the reason above.');
}
