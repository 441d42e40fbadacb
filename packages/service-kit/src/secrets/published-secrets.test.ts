import { randomBytes, randomUUID } from 'node:crypto';
import { type LicenseBackendDocument, secretPlaces } from '@multi-drm/contracts';
import { openContentKey, openLicenseBackend } from './published-secrets';
import { Secrets } from './secrets';

const secrets = new Secrets([{ id: 'first', key: randomBytes(32) }]);
const environmentId = randomUUID();

const published = (backend: LicenseBackendDocument['backend']): LicenseBackendDocument => ({
  environmentId,
  drmSystem: 'widevine',
  enabled: true,
  backend,
  certificate: null,
  settingsVersion: '1',
});
const seal = (name: string, plaintext: string) =>
  secrets.encrypt(secretPlaces.licenseBackend(environmentId, 'widevine', name), plaintext);

test('a license backend is opened as it was configured, maps of headers included', () => {
  const settings = { url: 'https://license.example.com/', headers: { 'X-Tenant': 'acme' } };
  const secretHeaders = { Authorization: 'Basic hidden' };
  const encryptedSecrets = { secretHeaders: seal('secretHeaders', JSON.stringify(secretHeaders)) };
  expect(openLicenseBackend(secrets, published({ type: 'http', settings, encryptedSecrets }))).toEqual({
    type: 'http',
    ...settings,
    secretHeaders,
  });
});

test('a secret that looks like JSON stays a text', () => {
  const backend = { type: 'doverunner', settings: {}, encryptedSecrets: { accessKey: seal('accessKey', '{"a":1}') } };
  expect(openLicenseBackend(secrets, published(backend))).toEqual({ type: 'doverunner', accessKey: '{"a":1}' });
});

test('without a backend there is nothing to open, and without secrets no key is needed', () => {
  expect(openLicenseBackend(secrets, published(null))).toBeNull();
  const backend = { type: 'clearkey', settings: {}, encryptedSecrets: {} };
  expect(openLicenseBackend(new Secrets([]), published(backend))).toEqual({ type: 'clearkey' });
});

test.each([
  ['environment', { environmentId: randomUUID() }],
  ['DRM system', { drmSystem: 'playready' as const }],
])('a backend whose secrets are those of another %s is refused', (_case, place) => {
  const backend = { type: 'doverunner', settings: {}, encryptedSecrets: { accessKey: seal('accessKey', 'hidden') } };
  expect(() => openLicenseBackend(secrets, { ...published(backend), ...place })).toThrow();
});

test('a secret under the name of another one is refused', () => {
  const backend = { type: 'doverunner', settings: {}, encryptedSecrets: { siteKey: seal('accessKey', 'hidden') } };
  expect(() => openLicenseBackend(secrets, published(backend))).toThrow();
});

test('a content key is opened as its bytes, in its own content and under its own key id alone', () => {
  const [contentAssetId, keyId] = [randomUUID(), randomUUID()];
  const hex = '00112233445566778899aabbccddeeff';
  const encryptedKey = secrets.encrypt(secretPlaces.contentKey(contentAssetId, keyId), hex);
  const key = { keyId, trackTypes: [], encryptedKey };
  expect(openContentKey(secrets, { contentAssetId }, key)?.toString('hex')).toBe(hex);
  expect(openContentKey(secrets, { contentAssetId }, { ...key, encryptedKey: null })).toBeNull();
  expect(() => openContentKey(secrets, { contentAssetId: randomUUID() }, key)).toThrow();
  expect(() => openContentKey(secrets, { contentAssetId }, { ...key, keyId: randomUUID() })).toThrow();
});
