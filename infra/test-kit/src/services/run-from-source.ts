import { join } from 'node:path';
import { runLocally } from '@multi-drm/local/local-run';
import { repositoryFolder } from '@multi-drm/local/repository';
import type { ServiceLauncher } from '@multi-drm/local/services';
import { observedProcess } from '../secrets/observed-process';

/** Runs a service from source, so that a test does not overwrite the build of a running `npm start`. */
const fromSource: ServiceLauncher = (service, file) => [
  process.execPath,
  ...observedProcess.args(join(repositoryFolder, 'services', service, 'src', `${file}.ts`)),
];

// Runs the same as `npm start` after the packages are installed, as a separate program that tests can signal and kill.
void runLocally({ environment: process.env, build: async () => undefined, launcher: fromSource }).then((code) => {
  process.exit(code);
});
