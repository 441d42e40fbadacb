// Installs and generates code, then takes out protections: in this process, so that a signal reaches what restores the files.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from '../local/install.mjs';

await install();
const { require: requireTypeScript } = await import('tsx/cjs/api');
const { turbo } = requireTypeScript('../local/src/repository.ts', import.meta.url);
const { command, environment } = turbo('generate');
const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const { status } = spawnSync(command[0], command.slice(1), { cwd: root, env: environment, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
const { main } = requireTypeScript('./src/main.ts', import.meta.url);
process.exit(await main(process.argv.slice(2)));
