import { setTimeout as delay } from 'node:timers/promises';
import type { CreateSessionRequest } from '@multi-drm/client';
import { type Addresses, Customer } from '../services/customer';
import { type BackendSettings, clientOf } from './guide';

/** The content that backends play. */
export const contentId = 'lesson-0042';

/** What a backend sends to play it, but for the viewer. */
export const playRequest: Omit<CreateSessionRequest, 'subject'> = {
  contentId,
  contentType: 'vod',
  drmSystem: 'widevine',
  platformCapabilities: { clientPlatform: 'web', drmSystems: ['widevine'] },
};

/** Creates an environment with a heartbeat, two streams for each viewer and the content; resolves when playback knows them. */
export async function makeBackendEnvironment(addresses: Addresses): Promise<BackendSettings> {
  const customer = await Customer.register(addresses);
  await customer.publish(contentId);
  const permissions = ['license-tokens:create', 'sessions:read', 'sessions:release'];
  const { clientId, accessKey } = await customer.createApiClient(permissions);
  const changes = { settings: { heartbeatSeconds: 20, maximumConcurrentStreams: 2 } };
  await customer.manage('PATCH', `/environments/${customer.siteId}`, changes, { 'If-Match': '*' });
  const settings = {
    PLAYBACK_URL: addresses.playbackUrl,
    SITE_ID: customer.siteId,
    CLIENT_ID: clientId,
    ACCESS_KEY: accessKey,
  };
  const client = clientOf(settings);
  const request = { ...playRequest, subject: 'nobody', useEnvironmentDefaults: true };
  for (;;) {
    const known = await client.evaluate(request).catch(() => undefined);
    if (known?.allowed && known.policy?.maximumConcurrentStreams === 2) return settings;
    await delay(50);
  }
}
