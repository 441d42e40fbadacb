// Runs a command of package.json: run.mjs <command> [argument…]. Plain JavaScript without dependencies, because nothing is installed
// before it has run.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.mjs';
import { install } from './install.mjs';

const infra = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * The program of each command, whose `main` is called with the arguments. `usage` and `most`: see readArguments; without a usage, the
 * program reads the arguments itself. `isBuilt`: it runs on the built services, in a process that knows TypeScript, as do those that it
 * starts. The others run in this process, so that signals and the parent process stay the same.
 */
const commands = {
  start: {
    program: 'local/src/start.ts',
    usage:
      'usage: npm start\nInstalls, builds and starts everything on this machine until Ctrl-C. Settings: see README.md.',
  },
  test: { program: 'test-kit/src/commands/run-tests.ts' },
  check: {
    program: 'test-kit/src/commands/run-checks.ts',
    usage:
      'usage: npm run check\nChecks types, lint, format, regular expressions, OpenAPI documents, migrations and dependency arrows.',
  },
  long: {
    program: 'test-kit/src/commands/run-long.ts',
    usage:
      'usage: npm run long\nRuns the suites that are too long for npm test, and all variants of what npm test tries a few of.',
  },
  databases: {
    program: 'test-kit/src/commands/run-databases.ts',
    usage:
      'usage: npm run databases [-- <kind>…]\nRuns the suites of the control plane on databases as other hosts set them up: all kinds, or these.',
    most: Number.POSITIVE_INFINITY,
  },
  fuzz: {
    program: 'test-kit/src/commands/run-fuzzing.ts',
    usage:
      'usage: npm run fuzz [-- <minutes>]\nSends generated requests to every operation of both services; for 10 minutes unless you say otherwise.',
    most: 1,
  },
  migration: {
    program: 'test-kit/src/commands/run-migration.ts',
    usage:
      'usage: npm run migration -- <name>\nWrites a migration with what the Prisma schema has and the migrations lack.',
    most: 1,
  },
  receivers: {
    program: 'test-kit/src/commands/run-receivers.ts',
    usage:
      'usage: npm run receivers\nSends deliveries of a control plane to the webhook receivers of docs/receivers, as they are and damaged.',
  },
  packages: {
    program: 'release/src/main.ts',
    usage:
      'usage: npm run packages [-- lint]\nBuilds and checks the tarballs of the packages that customers install; lint: without compiling uses of them.',
    most: 1,
  },
  examples: {
    program: 'test-kit/src/commands/run-examples.ts',
    usage: 'usage: npm run examples\nRuns the backends of examples/ against both services, and checks what they do.',
  },
  mutants: { program: 'mutants/src/main.ts' },
  faults: { program: 'faults/src/main.ts', isBuilt: true },
  soak: { program: 'faults/src/soak.ts', isBuilt: true },
  bench: { program: 'bench/src/main.ts', isBuilt: true },
  'content-list': { program: 'bench/src/content-list.ts', isBuilt: true },
  'authentication-time': { program: 'bench/src/authentication-time.ts', isBuilt: true },
  site: { program: 'site/src/main.ts', isBuilt: true },
  'generated-clients': { program: 'generated-clients/src/main.ts', isBuilt: true },
};

const [name, ...args] = process.argv.slice(2);
const { program, usage, most, isBuilt = false } = commands[name];
if (usage !== undefined) readArguments(usage, most, args);
await install(name === 'start' ? 'start' : 'all');
const { require: requireTypeScript } = await import('tsx/cjs/api');
if (isBuilt) {
  const { turbo } = requireTypeScript('./src/repository.ts', import.meta.url);
  const { command, environment } = turbo('build');
  runToEnd(command, join(infra, '..'), environment);
  const runner = join(infra, 'local/src/run-program.ts');
  const built = [process.execPath, '--conditions=source', '--import=tsx', runner, join(infra, program), ...args];
  runToEnd(built, join(infra, program.split('/')[0]), { ...process.env, RUN_BUILT: '1' });
} else {
  const { runProgram } = requireTypeScript('./src/run-program.ts', import.meta.url);
  process.exit(await runProgram(join(infra, program), args));
}

/** Ends the process with the exit code of the command unless it is 0. */
function runToEnd([file, ...rest], cwd, env) {
  const { status } = spawnSync(file, rest, { cwd, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
