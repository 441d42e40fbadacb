import type { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import { type Contender, connections } from './contender';
import { pin, profileOptions, serverCore } from './cores';
import { createRequest, requestOn, type StartedSession, startDeployment } from './deployment';
import { sessionOperations } from './session-server';

interface ProductOptions {
  /** Default: multi-drm. */
  name?: string;
  /** The root folder of another checkout, whose build is run; default: this checkout. */
  checkout?: string | undefined;
  /** Where the processes write CPU profiles when they stop; default: none are written. */
  profileFolder?: string | undefined;
}

/**
 * Two processes of the playback service as in production, with their own Redis and control plane. The second one only gets requests on
 * sessions that the first one has started, so it must verify their tokens.
 */
export async function startProduct(
  licenseServerUrl: string,
  { name = 'multi-drm', checkout, profileFolder }: ProductOptions = {},
): Promise<Contender[]> {
  const stage = await startDeployment(licenseServerUrl, {
    checkout,
    playbacks: 2,
    playback: () => ({
      nodeOptions: profileOptions(profileFolder),
      // As docs/operator.md advises if one organization makes most of the calls: as many as the load has connections.
      environment: { ORGANIZATION_REQUESTS_AT_ONCE: String(connections) },
    }),
  });
  const [startUrl = ''] = stage.playbackUrls;
  const create = createRequest(stage.customer.siteId, stage.customer.apiClient);
  const contenderOn = (playback: ServiceProcess | undefined): Omit<Contender, 'name' | 'stop'> => {
    if (playback?.pid === undefined) throw new Error('playback is not running');
    const { url, pid } = playback;
    pin(pid, serverCore);
    return { url, pid, ...sessionOperations<StartedSession>({ url, startUrl, create, requestOn }) };
  };
  const stop = async (): Promise<void> => {
    // Profiles are written only at an orderly end.
    for (const playback of stage.playbacks) await playback.stop();
    await stage.close();
  };
  const [issuing, other] = stage.playbacks;
  return [
    { ...contenderOn(issuing), name, stop },
    {
      ...contenderOn(other),
      name: `${name}, unknown token`,
      operations: ['renew', 'license', 'release'],
      stop: async () => undefined, // with the other one
    },
  ];
}
