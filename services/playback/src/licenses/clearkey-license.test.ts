import { type Playback, sessionRequest, startPlayback } from '../testing/playback';
import { publishBackend, publishContentKeys } from '../testing/published-backend';
import { makeTenant, type PublishedTenant } from '../testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;

beforeAll(async () => {
  playback = await startPlayback();
});
beforeEach(async () => {
  tenant = makeTenant();
  await playback.publish(tenant);
});

const start = async () => (await playback.create(tenant, sessionRequest()).expect(200)).body;

const kidOf = (keyId: string) => Buffer.from(keyId.replaceAll('-', ''), 'hex').toString('base64url');

test('in a development environment, ClearKey returns the stored content keys', async () => {
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

test('ClearKey gives the same error for keys that are unknown, not allowed or not stored, and never license_backend_refused', async () => {
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  const [kept, notAllowed, notKept, absent] = ['a', 'b', 'c', 'd'].map(
    (digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`,
  );
  tenant.content.keys = [
    { keyId: kept ?? '', trackTypes: ['SD', 'HD'], encryptedKey: null },
    { keyId: notAllowed ?? '', trackTypes: ['UHD2'], encryptedKey: null },
  ];
  await publishContentKeys(playback.redis, tenant, [{ keyId: notKept ?? '', trackTypes: ['SD'], encryptedKey: null }]);
  const session = await start();
  const ask = (keyId: string) => playback.license(session, Buffer.from(JSON.stringify({ kids: [kidOf(keyId)] })));
  await ask(kept ?? '').expect(200);
  const refusals = [];
  for (const keyId of [notAllowed, notKept, absent]) {
    const { status, body } = await ask(keyId ?? '');
    refusals.push([status, body.code, body.detail]);
  }
  const detail = 'None of the requested key ids belongs to the content, is allowed by the policy and has a stored key.';
  expect(refusals).toEqual(Array(3).fill([422, 'license_challenge_invalid', detail]));
});

test.each(['staging', 'production'] as const)('ClearKey is refused in %s, even if it was published', async (kind) => {
  tenant.environment.kind = kind;
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  const { status, body } = await playback.license(await start(), Buffer.from('{"kids":["AAAAAAAAAAAAAAAAAAAAAA"]}'));
  expect([status, body.code]).toEqual([422, 'license_backend_not_configured']);
});
