// Installs, builds, and runs a program of a package in infra on the built services: run-built.mjs <package> <program> [argument…].
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

await install();
const infra = join(dirname(fileURLToPath(import.meta.url)), '..');
const { require: requireTypeScript } = await import('tsx/cjs/api');
const { turbo } = requireTypeScript('./src/repository.ts', import.meta.url);
const build = turbo('build');
run(build.command, join(infra, '..'), build.environment);
const [name, program, ...args] = process.argv.slice(2);
const folder = join(infra, name);
const command = [
  process.execPath,
  '--conditions=source',
  '--import=tsx',
  join(folder, 'src', `${program}.ts`),
  ...args,
];
run(command, folder, { ...process.env, RUN_BUILT: '1' });

function run([file, ...rest], cwd, env) {
  const { status } = spawnSync(file, rest, { cwd, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
