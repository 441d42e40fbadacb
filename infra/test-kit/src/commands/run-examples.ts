import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlaneSchemas, PlaybackSchemas } from '@multi-drm/contracts';
import { findOrInstall } from '@multi-drm/local/apt-get';
import { localHost } from '@multi-drm/local/ports';
import { repositoryFolder } from '@multi-drm/local/repository';
import { watchForStop } from '@multi-drm/local/stop-request';
import { printLine, ReadableFailure } from '@multi-drm/local/terminal-output';
import { backendChecks } from '../examples/backend-checks';
import { contentId, playRequest } from '../examples/example-page';
import { findPhp, findPython, hasPhpExtension, type Program, whileRunning } from '../examples/program';
import { UnreliableProxy } from '../examples/unreliable-proxy';
import { withTestServers } from '../servers/stand-alone-servers';
import { cloneDatabase, startRedis } from '../servers/suite-servers';
import { type ApiClient, Customer, credentialsOf, send } from '../services/customer';
import { ServiceProcess } from '../services/service-process';

/** What a backend of an environment is given. */
interface Environment {
  playbackUrl: string;
  siteId: string;
  apiClient: ApiClient;
}

const folder = join(repositoryFolder, 'examples');

/**
 * `npm run examples`: runs the backends of `examples/` against both services and checks each as the guide's backend is checked. Installs
 * Python and PHP if they are missing. Resolves to the exit code.
 */
export async function main(): Promise<number> {
  const backends = await findBackends(watchForStop());
  return withTestServers(async () => {
    const [database, redis] = [await cloneDatabase(), await startRedis()];
    const controlPlane = await ServiceProcess.controlPlane(database.url, redis.url);
    const playback = await ServiceProcess.playback(redis.url);
    try {
      await Promise.all([controlPlane.start(), playback.start()]);
      const environment = await makeEnvironment(controlPlane.url, playback.url);
      // At the same time, because the checks wait for the backends to give up.
      const failed = await Promise.all(backends.map((backend) => check(backend, environment)));
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
async function check(backend: Program, { playbackUrl, siteId, apiClient }: Environment): Promise<number> {
  const proxy = await UnreliableProxy.start(playbackUrl);
  const settings = {
    PLAYBACK_URL: proxy.url,
    SITE_ID: siteId,
    CLIENT_ID: apiClient.clientId,
    ACCESS_KEY: apiClient.accessKey,
  };
  const live = async (viewer: string) => {
    const query = new URLSearchParams({ subject: viewer, limit: '50' });
    const url = `${playbackUrl}/api/v1/playback/environments/${siteId}/sessions?${query}`;
    const { items } = await send<PlaybackSchemas['LivePlaybackSessionsResponse']>(
      'GET',
      url,
      undefined,
      credentialsOf(apiClient),
    );
    return items.map(({ sessionId }) => sessionId);
  };
  let failed = 0;
  try {
    await whileRunning(backend, settings, async (url) => {
      for (const { what, run } of backendChecks) {
        proxy.use((_, forward) => forward());
        const error = await run({ url, proxy, live }).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error !== undefined) failed += 1;
        printLine(`${error === undefined ? 'ok   ' : 'WRONG'} ${backend.name} ${what}`);
        if (error !== undefined) printLine(error instanceof Error ? `${error.stack}` : String(error));
      }
    });
  } finally {
    proxy.close();
  }
  return failed;
}

/** Creates an environment with two streams for each viewer and the content; resolves when playback knows both. */
async function makeEnvironment(controlPlaneUrl: string, playbackUrl: string): Promise<Environment> {
  const customer = await Customer.register({ controlPlaneUrl, playbackUrl });
  await customer.publish(contentId);
  const apiClient = await customer.createApiClient(['license-tokens:create', 'sessions:read', 'sessions:release']);
  const settings: ControlPlaneSchemas['UpdateEnvironmentRequest'] = {
    settings: { heartbeatSeconds: 20, maximumConcurrentStreams: 2 },
  };
  await customer.manage('PATCH', `/environments/${customer.siteId}`, settings, { 'If-Match': '*' });
  const url = `${playbackUrl}/api/v1/playback/environments/${customer.siteId}/sessions/evaluations`;
  const request = { ...playRequest, subject: 'nobody', useEnvironmentDefaults: true };
  for (;;) {
    const evaluation = await send<PlaybackSchemas['PlaybackEvaluationResponse']>(
      'POST',
      url,
      request,
      credentialsOf(apiClient),
    ).catch(
      () => undefined, // not yet known
    );
    if (evaluation?.allowed && evaluation.policy?.maximumConcurrentStreams === 2) {
      return { playbackUrl, siteId: customer.siteId, apiClient };
    }
    await delay(50);
  }
}
