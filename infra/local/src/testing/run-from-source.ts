import { join } from 'node:path';
import { runLocally } from '../local-run';
import { repositoryFolder } from '../repository';
import type { ServiceLauncher } from '../services';
import { observedProcess } from './secrets/observed-process';

/** Runs a service from source, so that a test builds nothing that a running `npm start` uses. */
const fromSource: ServiceLauncher = (service, file) => [
  process.execPath,
  ...observedProcess.args(join(repositoryFolder, 'services', service, 'src', `${file}.ts`)),
];

// What `npm start` runs once the packages are installed, as a program of its own for tests to signal and kill.
void runLocally({ environment: process.env, build: async () => undefined, launcher: fromSource }).then((code) => {
  process.exit(code);
});
