import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryFolder, turboOf } from '@multi-drm/local/repository';
import { ReadableFailure } from '@multi-drm/local/terminal-output';
import { withRunFolder } from '@multi-drm/test-kit/servers/stand-alone-servers';

/** A commit in a work tree of its own. */
export interface Commit {
  /** Its shortest unique hash. */
  name: string;
  /** The root folder of the work tree. */
  folder: string;
}

interface Source {
  /** The clone that has the commit; default: this checkout. */
  repository?: string;
  /** Makes the work tree ready; default: installs its packages and builds it. */
  build?: (folder: string) => void;
}

/**
 * Builds the commit that a git revision names (gitrevisions(7)) in a temporary work tree, and removes the work tree after `use`.
 * Throws a ReadableFailure if there is no such commit or it cannot be built.
 */
export async function withCommit<Result>(
  ref: string,
  use: (commit: Commit) => Promise<Result>,
  { repository = repositoryFolder, build = installAndBuild }: Source = {},
): Promise<Result> {
  const name = git(repository, 'rev-parse', '--verify', '--quiet', '--short', '--end-of-options', `${ref}^{commit}`);
  if (name === undefined) throw new ReadableFailure(`"${ref}" names no commit of ${repository}.`);
  return withRunFolder(async ({ path }) => {
    const folder = join(path, 'commit');
    // Forgets work trees whose folders a killed run has left to the next one.
    git(repository, 'worktree', 'prune');
    if (git(repository, 'worktree', 'add', '--detach', folder, name) === undefined) {
      throw new ReadableFailure(`git could not add a work tree with ${name}; see the reason above.`);
    }
    try {
      try {
        build(folder);
      } catch (error) {
        throw new ReadableFailure(`${ref} (${name}) could not be built: ${(error as Error).message}`);
      }
      return await use({ name, folder });
    } finally {
      git(repository, 'worktree', 'remove', '--force', folder);
    }
  });
}

/** Runs git in a clone; returns what it prints, or undefined if it fails. It prints why itself. */
function git(repository: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', ['-C', repository, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** Installs and builds a checkout with its own pinned tools. Throws if a step fails; its output says why. */
export function installAndBuild(folder: string): void {
  const installer = pathToFileURL(join(folder, 'infra/local/install.mjs')).href;
  const install = `await (await import(${JSON.stringify(installer)})).install()`;
  run(folder, 'the installation of its packages', [process.execPath, '--input-type=module', '--eval', install]);
  const { command, environment } = turboOf(folder, 'build');
  run(folder, 'its build', command, environment);
}

function run(folder: string, step: string, [file = '', ...args]: string[], env = process.env): void {
  const { status, error } = spawnSync(file, args, { cwd: folder, env, stdio: 'inherit' });
  const reason = error?.message ?? `exit code ${status}`;
  if (status !== 0) throw new Error(`${step} failed (${reason}); see the output above.`);
}
