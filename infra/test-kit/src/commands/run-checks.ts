import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildCommand, runToEnd } from '@multi-drm/local/child-process';
import { findExecutable } from '@multi-drm/local/executable';
import { repositoryFolder, turbo } from '@multi-drm/local/repository';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printLine } from '@multi-drm/local/terminal-output';
import { fromSource } from '../services/from-source';
import { withEmptyDatabase } from './empty-database';
import { runJest } from './run-jest';

interface Check {
  name: string;
  /** Prints problems; resolves to whether the check passed. */
  run(stop: AbortSignal): Promise<boolean>;
}

// Programs are started without pnpm where it is not needed, because its own start takes several seconds of processor time.
const biome = join(repositoryFolder, 'node_modules/@biomejs/biome/bin/biome');
const drift = join(repositoryFolder, 'services/control-plane/scripts/drift.ts');
const runner = join(repositoryFolder, 'infra/local/run.mjs');

const checks: Check[] = [
  { name: 'generated code', run: (stop) => succeeds(turbo('generate'), stop) },
  {
    name: 'types, regular expressions, OpenAPI lint',
    // Together, because the second uses one core for as long as the first uses the others.
    run: (stop) => succeeds(turbo('typecheck', 'regular-expressions', 'lint', '--continue'), stop),
  },
  {
    name: 'packages for customers',
    run: (stop) => succeeds({ command: [process.execPath, runner, 'packages', 'lint'] }, stop),
  },
  { name: 'lint and format', run: (stop) => succeeds({ command: [process.execPath, biome, 'ci', '.'] }, stop) },
  { name: 'migration drift', run: checkMigrationDrift },
  { name: 'Compose file', run: checkComposeFile },
  {
    name: 'dependency arrows',
    run: async (stop) => (await runJest(['dependency-arrows', 'architecture/circles'], stop)).failed === 0,
  },
];

/** `npm run check`, after the packages are installed: runs every check, even if one fails; resolves to the exit code. */
export async function main(): Promise<number> {
  const stop = watchForStop();
  const failed: string[] = [];
  for (const { name, run } of checks) {
    printLine(`\n== ${name}`);
    if (!(await run(stop))) failed.push(name);
  }
  printLine(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

async function checkMigrationDrift(stop: AbortSignal): Promise<boolean> {
  return withEmptyDatabase((url) =>
    succeeds(
      { command: [process.execPath, ...fromSource(drift)], environment: { ...process.env, DATABASE_URL: url } },
      stop,
    ),
  );
}

/** Validates docker-compose.yml with fresh secrets, if Docker Compose is installed. */
async function checkComposeFile(stop: AbortSignal): Promise<boolean> {
  const compose = findExecutable('docker-compose');
  if (compose === undefined) {
    printLine('Not checked: docker-compose is not on the PATH.');
    return true;
  }
  const folder = mkdtempSync(join(tmpdir(), 'compose-'));
  try {
    const environment = join(folder, '.env');
    const create = join(repositoryFolder, 'infra', 'docker', 'create-environment.mjs');
    return (
      (await succeeds({ command: [process.execPath, create, environment] }, stop)) &&
      (await succeeds({ command: [compose, '--env-file', environment, 'config', '--quiet'] }, stop))
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function succeeds(what: Pick<ChildCommand, 'command' | 'environment'>, stop: AbortSignal): Promise<boolean> {
  const { code } = await runToEnd(
    { name: what.command[0], ...what, folder: repositoryFolder, output: 'inherit' },
    stop,
  );
  return code === 0;
}
