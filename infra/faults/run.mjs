// Installs, builds, and runs a program of this package on the built services.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from '../local/install.mjs';

await install();
const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, '../..');
const { require: requireTypeScript } = await import('tsx/cjs/api');
const { turbo } = requireTypeScript('../local/src/repository.ts', import.meta.url);
const build = turbo('build');
run(build.command, build.environment);
const [program, ...args] = process.argv.slice(2);
const command = [
  process.execPath,
  '--conditions=source',
  '--import=tsx',
  join(folder, 'src', `${program}.ts`),
  ...args,
];
run(command, { ...process.env, RUN_BUILT: '1' });

function run([file, ...rest], env) {
  const { status } = spawnSync(file, rest, { cwd: file === process.execPath ? folder : root, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
