import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from './settings';

const folder = mkdtempSync(join(tmpdir(), 'playback-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const complete = {
  REDIS_URL: 'redis://redis:6379',
  PLAYBACK_PUBLIC_URL: 'https://playback.example.com',
  LICENSE_TOKEN_KEYS: '{"keys":[]}',
};

test('absent settings have their defaults', () => {
  expect(loadSettings(complete)).toMatchObject({
    PORT: 8081,
    API_CLIENT_HEADER_PREFIX: 'X-SERVICE',
    IDEMPOTENT_REPEAT_SECONDS: 120,
    SESSION_ID_RETENTION_SECONDS: 86_400,
    SECRET_KEYS: [],
  });
});

test('all invalid settings are listed together, without their values', () => {
  const load = () =>
    loadSettings({ PORT: 'eighty', PLAYBACK_PUBLIC_URL: 'playback.example.com', SESSION_ID_RETENTION_SECONDS: '60' });
  expect(load).toThrow(
    /PORT.*\n.*PLAYBACK_PUBLIC_URL.*\n.*SESSION_ID_RETENTION_SECONDS.*\n.*LICENSE_TOKEN_KEYS.*\n.*REDIS_URL/,
  );
  expect(load).not.toThrow(/eighty/);
});

test('the license token keys can be read from a file', () => {
  const file = join(folder, 'keys.json');
  writeFileSync(file, '{"keys":[1]}');
  const { LICENSE_TOKEN_KEYS, ...rest } = complete;
  expect(loadSettings({ ...rest, LICENSE_TOKEN_KEYS_FILE: file }).LICENSE_TOKEN_KEYS).toBe('{"keys":[1]}');
  expect(() => loadSettings({ ...rest, LICENSE_TOKEN_KEYS_FILE: `${file}.gone` })).toThrow(
    'LICENSE_TOKEN_KEYS_FILE: cannot be read (ENOENT)',
  );
});

test('the license token keys must come from exactly one source', () => {
  const { LICENSE_TOKEN_KEYS, ...rest } = complete;
  expect(() => loadSettings(rest)).toThrow('set exactly one of them');
  expect(() => loadSettings({ ...complete, LICENSE_TOKEN_KEYS_FILE: 'keys.json' })).toThrow('set exactly one of them');
});

test('the secret keys are parsed, and an error does not show them', () => {
  const key = Buffer.alloc(32, 1);
  const { SECRET_KEYS } = loadSettings({ ...complete, SECRET_KEYS: `2026:${key.toString('base64')}` });
  expect(SECRET_KEYS).toEqual([{ id: '2026', key }]);
  const load = () => loadSettings({ ...complete, SECRET_KEYS: '2026:c2hvcnQ=' });
  expect(load).toThrow('SECRET_KEYS: entry 1 must be keyId:key');
  expect(load).not.toThrow(/c2hvcnQ/);
});

test('a trailing slash of the public URL is removed', () => {
  const { PLAYBACK_PUBLIC_URL } = loadSettings({ ...complete, PLAYBACK_PUBLIC_URL: 'https://example.com/drm/' });
  expect(PLAYBACK_PUBLIC_URL).toBe('https://example.com/drm');
});

test.each([
  'https://example.com/?a=b',
  'https://example.com/#a',
  'https://@example.com',
  'https://user:password@example.com',
  'https://exa mple.com',
])('the public URL %s is rejected, because no path can be appended to it', (PLAYBACK_PUBLIC_URL) => {
  expect(() => loadSettings({ ...complete, PLAYBACK_PUBLIC_URL })).toThrow('PLAYBACK_PUBLIC_URL: must');
});

test('API_CLIENT_HEADER_PREFIX is configurable and must be valid in a header name', () => {
  const load = (API_CLIENT_HEADER_PREFIX: string) => loadSettings({ ...complete, API_CLIENT_HEADER_PREFIX });
  expect(load('X-Acme-Drm').API_CLIENT_HEADER_PREFIX).toBe('X-Acme-Drm');
  for (const prefix of ['X Acme', 'X:Acme', 'X_Acme', 'X'.repeat(65)]) {
    expect(() => load(prefix)).toThrow('API_CLIENT_HEADER_PREFIX');
  }
});

test('call limits: none for API clients by default, one for unauthenticated calls and one for each session', () => {
  const settings = loadSettings(complete);
  expect(settings.API_CLIENT_REQUESTS_PER_MINUTE).toBeUndefined();
  expect([settings.UNAUTHENTICATED_REQUESTS_PER_MINUTE, settings.SESSION_REQUESTS_PER_MINUTE]).toEqual([600, 60]);
  expect(settings.REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE).toBe(60);
  expect([settings.UNKNOWN_RELEASES_PER_MINUTE, settings.UNLIMITED_PLAN_STARTS_PER_MINUTE]).toEqual([600, undefined]);
  expect(settings.CERTIFICATE_REQUESTS_PER_MINUTE).toBe(6_000);
  expect(settings.TRUSTED_PROXIES).toEqual([]);
});
