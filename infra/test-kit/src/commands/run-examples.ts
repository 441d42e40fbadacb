import { join } from 'node:path';
import { findOrInstall } from '@multi-drm/local/apt-get';
import { localHost } from '@multi-drm/local/ports';
import { repositoryFolder } from '@multi-drm/local/repository';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printLine, ReadableFailure } from '@multi-drm/local/terminal-output';
import { makeBackendEnvironment } from '../documents/backend-environment';
import { type BackendSettings, clientOf } from '../documents/guide';
import { backendChecks } from '../examples/backend-checks';
import { findPhp, findPython, hasPhpExtension, type Program, whileRunning } from '../examples/program';
import { withTestServers } from '../servers/stand-alone-servers';
import { cloneDatabase, startRedis } from '../servers/suite-servers';
import { UnreliableProxy } from '../servers/unreliable-proxy';
import { ServiceProcess } from '../services/service-process';
import { generateCode } from './generate-code';

const folder = join(repositoryFolder, 'examples');

/**
 * `npm run examples`: runs the backends of `examples/` against both services and checks each as the guide's backend is checked. Installs
 * Python and PHP if they are missing. Resolves to the exit code.
 */
export async function main(): Promise<number> {
  const stop = watchForStop();
  await generateCode(stop);
  const backends = await findBackends(stop);
  return withTestServers(async () => {
    const [database, redis] = [await cloneDatabase(), await startRedis()];
    const controlPlane = await ServiceProcess.controlPlane(database.url, redis.url);
    const playback = await ServiceProcess.playback(redis.url);
    try {
      await Promise.all([controlPlane.start(), playback.start()]);
      const settings = await makeBackendEnvironment({ controlPlaneUrl: controlPlane.url, playbackUrl: playback.url });
      // At the same time, because the checks wait for the backends to give up.
      const failed = await Promise.all(backends.map((backend) => check(backend, settings)));
      const wrong = failed.reduce((sum, count) => sum + count, 0);
      printLine(wrong === 0 ? 'Every backend passes every check.' : `${wrong} checks failed.`);
      return wrong === 0 ? 0 : 1;
    } finally {
      await Promise.all([controlPlane.stop(), playback.stop()]);
      await redis.stop();
    }
  });
}

async function findBackends(stop: AbortSignal): Promise<Program[]> {
  const [python, php] = [await findPython(stop), await findPhp(stop)];
  const curl = await findOrInstall(() => hasPhpExtension(php, 'curl'), 'The curl extension of PHP', 'php-curl', stop);
  if (curl === undefined)
    throw new ReadableFailure('The curl extension of PHP is missing. On Debian: sudo apt-get install php-curl');
  return [
    { name: 'python', command: () => [python, join(folder, 'python/backend.py')] },
    {
      name: 'php',
      command: (port) => [
        php,
        ...['-d', `session.save_path=${process.env.TEST_FOLDER}`],
        ...['-S', `${localHost}:${port}`, join(folder, 'php/backend.php')],
      ],
    },
  ];
}

/** Runs every check of a backend; resolves to how many failed. */
async function check(backend: Program, settings: BackendSettings): Promise<number> {
  const proxy = await UnreliableProxy.start(settings.PLAYBACK_URL);
  const client = clientOf(settings);
  const activeIds = async (subject: string) => {
    const ids: string[] = [];
    for await (const { sessionId } of client.listSessions({ subject })) ids.push(sessionId);
    return ids;
  };
  let failed = 0;
  await whileRunning(backend, { ...settings, PLAYBACK_URL: proxy.url }, async (url) => {
    for (const { what, run } of backendChecks) {
      proxy.use((_, forward) => forward());
      const error = await run({ url, proxy, activeIds }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error !== undefined) failed += 1;
      printLine(`${error === undefined ? 'ok   ' : 'WRONG'} ${backend.name} ${what}`);
      if (error !== undefined) printLine(error instanceof Error ? `${error.stack}` : String(error));
    }
  });
  return failed;
}
