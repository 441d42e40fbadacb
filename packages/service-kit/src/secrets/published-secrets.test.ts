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

test('a license backend is decrypted as it was configured, including header maps', () => {
  const settings = { url: 'https://license.example.com/', headers: { 'X-Tenant': 'acme' } };
  const secretHeaders = { Authorization: 'Basic hidden' };
  const encryptedSecrets = { secretHeaders: seal('secretHeaders', JSON.stringify(secretHeaders)) };
  expect(openLicenseBackend(secrets, published({ type: 'http', settings, encryptedSecrets }))).toEqual({
    type: 'http',
    ...settings,
    secretHeaders,
  });
});

test('a secret that looks like JSON stays a string', () => {
  const backend = { type: 'doverunner', settings: {}, encryptedSecrets: { accessKey: seal('accessKey', '{"a":1}') } };
  expect(openLicenseBackend(secrets, published(backend))).toEqual({ type: 'doverunner', accessKey: '{"a":1}' });
});

test('without a backend there is nothing to decrypt, and without secrets no key is needed', () => {
  expect(openLicenseBackend(secrets, published(null))).toBeNull();
  const backend = { type: 'clearkey', settings: {}, encryptedSecrets: {} };
  expect(openLicenseBackend(new Secrets([]), published(backend))).toEqual({ type: 'clearkey' });
});

test.each([
  ['environment', { environmentId: randomUUID() }],
  ['DRM system', { drmSystem: 'playready' as const }],
])('a backend with secrets of another %s is rejected', (_case, place) => {
  const backend = { type: 'doverunner', settings: {}, encryptedSecrets: { accessKey: seal('accessKey', 'hidden') } };
  expect(() => openLicenseBackend(secrets, { ...published(backend), ...place })).toThrow();
});

test('a secret under the name of another one is rejected', () => {
  const backend = { type: 'doverunner', settings: {}, encryptedSecrets: { siteKey: seal('accessKey', 'hidden') } };
  expect(() => openLicenseBackend(secrets, published(backend))).toThrow();
});

test('a content key is decrypted to its bytes, but only for its own content and key id', () => {
  const [contentAssetId, keyId] = [randomUUID(), randomUUID()];
  const hex = '00112233445566778899aabbccddeeff';
  const encryptedKey = secrets.encrypt(secretPlaces.contentKey(contentAssetId, keyId), hex);
  const key = { keyId, trackTypes: [], encryptedKey };
  expect(openContentKey(secrets, { contentAssetId }, key)?.toString('hex')).toBe(hex);
  expect(openContentKey(secrets, { contentAssetId }, { ...key, encryptedKey: null })).toBeNull();
  expect(() => openContentKey(secrets, { contentAssetId: randomUUID() }, key)).toThrow();
  expect(() => openContentKey(secrets, { contentAssetId }, { ...key, keyId: randomUUID() })).toThrow();
});
