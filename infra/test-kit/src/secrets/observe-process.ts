import { readFileSync } from 'node:fs';
import { currentName, keep, rememberSecrets } from './kept-files';
import { observeServers } from './observe-servers';
import { secretsOfSettings } from './secret-kinds';

// Loaded before the program of a process that a suite starts: see `observedProcess`.

process.env.LOG_LEVEL ??= 'debug';
const { LICENSE_TOKEN_KEYS_FILE: file } = process.env;
rememberSecrets(secretsOfSettings(process.env));
if (file) rememberSecrets(secretsOfSettings({ LICENSE_TOKEN_KEYS: readFileSync(file, 'utf8') }));
observeServers();

for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write as (...args: unknown[]) => boolean;
  Object.assign(stream, {
    write: (...args: unknown[]): boolean => {
      keep('logs', `${currentName()}-${process.pid}`, args[0] as string);
      return write.apply(stream, args);
    },
  });
}
