import { type Contender, connections } from './contender';
import { pin, profileOptions, serverCore } from './cores';
import { createRequest, requestOn, type StartedSession, startDeployment } from './deployment';
import { sessionOperations } from './session-server';

/**
 * Two processes of the playback service as in production, with their own Redis and control plane. The second one only gets requests on
 * sessions that the first one has started, so it must verify their tokens. With a folder for profiles, they write CPU profiles there when
 * they stop.
 */
export async function startProduct(licenseServerUrl: string, profileFolder?: string): Promise<Contender[]> {
  const stage = await startDeployment(licenseServerUrl, {
    playbacks: 2,
    playback: () => ({
      nodeOptions: profileOptions(profileFolder),
      // As docs/operation.md advises if one organization makes most of the calls: as many as the load has connections.
      environment: { ORGANIZATION_REQUESTS_AT_ONCE: String(connections) },
    }),
  });
  const [startUrl = ''] = stage.playbackUrls;
  const create = createRequest(stage.customer.siteId, stage.customer.apiClient);
  const contenderOn = (index: number, own: Pick<Contender, 'name'> & Partial<Contender>): Contender => {
    const { url = '', pid } = stage.playbacks[index] ?? {};
    if (pid === undefined) throw new Error('playback is not running');
    pin(pid, serverCore);
    const stop = async () => {};
    return { url, pid, ...sessionOperations<StartedSession>({ url, startUrl, create, requestOn }), stop, ...own };
  };
  const stop = async (): Promise<void> => {
    // Profiles are written only at an orderly end.
    for (const playback of stage.playbacks) await playback.stop();
    await stage.close();
  };
  return [
    contenderOn(0, { name: 'multi-drm', stop }),
    contenderOn(1, { name: 'multi-drm, unknown token', operations: ['renew', 'license', 'release'] }),
  ];
}
