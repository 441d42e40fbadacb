import { type Contender, connections } from './contender';
import { pin, profileOptions, serverCore } from './cores';
import { createRequest, requestOn, type StartedSession, startDeployment } from './deployment';
import { sessionOperations } from './session-server';

/**
 * The playback service as in production, with its own Redis and control plane. With a folder for profiles, it writes a CPU profile there
 * when it stops.
 */
export async function startProduct(licenseServerUrl: string, profileFolder?: string): Promise<Contender> {
  const stage = await startDeployment(licenseServerUrl, {
    playback: () => ({
      nodeOptions: profileOptions(profileFolder),
      // As docs/operation.md advises if one organization makes most of the calls: as many as the load has connections.
      environment: { ORGANIZATION_REQUESTS_AT_ONCE: String(connections) },
    }),
  });
  const { customer } = stage;
  const [url = ''] = stage.playbackUrls;
  const [playback] = stage.playbacks;
  const pid = playback?.pid;
  if (playback === undefined || pid === undefined) throw new Error('playback is not running');
  pin(pid, serverCore);
  return {
    name: 'multi-drm',
    url,
    pid,
    ...sessionOperations<StartedSession>({
      url,
      create: createRequest(customer.siteId, customer.apiClient),
      requestOn,
    }),
    stop: async () => {
      // A profile is written only at an orderly end.
      await playback.stop();
      await stage.close();
    },
  };
}
