import { connected, type Playback, sessionRequest, startPlayback } from '../../testing/playback';
import { publishBackend, publishContentKeys } from '../../testing/published-backend';
import { makeTenant, type PublishedTenant } from '../../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = startPlayback();
  await connected(playback);
});
beforeEach(async () => {
  tenant = makeTenant();
  await playback.publish(tenant);
});
afterAll(() => playback.close());

const start = async () => (await playback.create(tenant, sessionRequest()).expect(200)).body;

const kidOf = (keyId: string) => Buffer.from(keyId.replaceAll('-', ''), 'hex').toString('base64url');

test('in a development environment ClearKey answers the content keys that are kept here', async () => {
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  const [[keyId = '', key] = []] = await publishContentKeys(playback.redis, tenant);
  const { body, headers } = await playback
    .license(await start(), Buffer.from(JSON.stringify({ kids: [kidOf(keyId)], type: 'temporary' })))
    .expect(200);
  expect(body).toEqual({
    keys: [{ kty: 'oct', k: key?.toString('base64url'), kid: kidOf(keyId) }],
    type: 'temporary',
  });
  expect(headers['content-type']).toMatch(/^application\/json/);
});

test.each(['staging', 'production'] as const)('ClearKey is refused in %s, whatever was published', async (kind) => {
  tenant.environment.kind = kind;
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  const { status, body } = await playback.license(await start(), Buffer.from('{"kids":["AAAAAAAAAAAAAAAAAAAAAA"]}'));
  expect([status, body.code]).toEqual([422, 'license_backend_not_configured']);
});
