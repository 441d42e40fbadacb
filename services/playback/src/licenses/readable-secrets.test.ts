import { randomBytes } from 'node:crypto';
import { publishedKeys, secretPlaces } from '@multi-drm/contracts';
import { challenges } from '@multi-drm/license-backends/testing';
import { Secrets } from '@multi-drm/service-kit';
import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { publishBackend } from '../testing/published-backend';
import { makeTenant, type PublishedTenant, publish } from '../testing/published-tenant';

/** Secrets with a key that the service does not have, under another id or under the id of the key that it has. */
const lost = (id: string) => new Secrets([{ id, key: randomBytes(32) }]);

let playback: Playback;
let tenant: PublishedTenant;

beforeEach(async () => {
  playback = await startPlayback();
  tenant = makeTenant();
  await playback.publish(tenant);
});

async function licenseCodes(challenge: Buffer): Promise<string[]> {
  const session = (await playback.create(tenant, sessionRequest()).expect(200)).body;
  const answers = [await playback.license(session, challenge), await playback.license(session, challenge)];
  return answers.map(({ status, body }) => `${status} ${body.code}`);
}

test.each(['lost', 'test'])(
  'credentials encrypted with a key that the service lacks, id %s, return service_unavailable for the operator to fix',
  async (id) => {
    const { environmentId } = tenant.environment;
    const place = secretPlaces.licenseBackend(environmentId, 'widevine', 'secretHeaders');
    await publish(playback.redis, publishedKeys.licenseBackend(environmentId, 'widevine'), {
      environmentId,
      drmSystem: 'widevine',
      enabled: true,
      backend: {
        type: 'http',
        settings: { url: 'https://licenses.example.com/', responseFormat: 'raw' },
        encryptedSecrets: { secretHeaders: lost(id).encrypt(place, '{"X-Api-Key":"key"}') },
      },
      certificate: null,
      settingsVersion: '1',
    });
    expect(await licenseCodes(challenges.widevine)).toEqual(['503 service_unavailable', '503 service_unavailable']);
    expect(playback.logged.filter(({ level }) => level === 'error')).toEqual([]);
    expect(playback.logged.filter(({ message }) => message === 'request failed')).toHaveLength(1);
  },
);

test('content keys encrypted with such a key do so too', async () => {
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  const { content } = tenant;
  const keys = content.keys.map((key) => ({
    ...key,
    encryptedKey: lost('lost').encrypt(secretPlaces.contentKey(content.contentAssetId, key.keyId), '00'.repeat(16)),
  }));
  await publish(playback.redis, publishedKeys.content(content.environmentId, content.contentId), { ...content, keys });
  const request = Buffer.from(JSON.stringify({ kids: [randomBytes(16).toString('base64url')], type: 'temporary' }));
  expect(await licenseCodes(request)).toEqual(['503 service_unavailable', '503 service_unavailable']);
});
