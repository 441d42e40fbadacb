import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from './settings';
import { playbackWarnings } from './settings-warnings';
import { signingKeysOf } from './signing-key-settings';

const folder = mkdtempSync(join(tmpdir(), 'wrong-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const textOf = (...keys: object[]) => JSON.stringify({ keys });
const key = newKey();
const { d: _, ...publicKey } = key;
const secretKey = Buffer.alloc(32, 7).toString('base64');

const complete = {
  REDIS_URL: 'redis://redis:6379',
  PLAYBACK_PUBLIC_URL: 'https://playback.example.com',
  LICENSE_TOKEN_KEYS: textOf(key),
  SECRET_KEYS: `a:${secretKey}`,
};

/** What the service does with its environment before it connects to anything. */
function start(environment: Record<string, string>): string[] {
  const settings = loadSettings(environment);
  signingKeysOf(settings);
  return playbackWarnings(settings, environment);
}

const publicUrl = 'must be an absolute http or https URL (RFC 3986) without credentials';

test.each<[variable: string, value: string, message: string]>([
  ['PLAYBACK_PUBLIC_URL', '', 'is required'],
  ['PLAYBACK_PUBLIC_URL', 'playback.example.com', publicUrl],
  [
    'PLAYBACK_PUBLIC_URL',
    'https://example.com/?a=b',
    'must not have a query or fragment, because paths are appended to it',
  ],
  ['PORT', '0', 'must be at least 1'],
  ['METRICS_PORT', '8081', 'must differ from PORT'],
  ['LOG_LEVEL', 'trace', 'must be error, warn, info or debug'],
  ['API_CLIENT_HEADER_PREFIX', 'X SERVICE', 'must be letters, digits and hyphens'],
  ['ALLOW_INSECURE_PUBLIC_URL', 'yes', 'must be true or false'],
  ['LICENSE_TOKEN_BACKDATE_SECONDS', '-60', 'must be a whole number'],
  ['SESSION_ID_RETENTION_SECONDS', '3600', 'must be at least 86400'],
  ['IDEMPOTENT_REPEAT_SECONDS', '7200', 'must be at most 3600'],
  ['SECRET_KEYS', `a:${secretKey.slice(1)}`, 'entry 1 must be keyId:key, where key is 32 bytes in base64'],
  ['OUTBOUND_ALLOWED_HOSTS', '10.0.0.0/33', '"10.0.0.0/33" is not a host name, an IP address or a CIDR'],
  [
    'TRUSTED_PROXIES',
    '10.0.0.0-10.0.0.9',
    'must be addresses, networks such as 10.0.0.0/8, or `loopback`, separated by commas',
  ],
  ['KEEP_ALIVE_SECONDS', '1m', 'must be a whole number'],
  ['REDIS_URL', 'redis.example.com', 'must be an absolute URL with redis: or rediss:'],
  ['REDIS_SENTINEL_PASSWORD', 'any', 'needs REDIS_SENTINELS'],
  ['REDIS_CA_FILE', '/nowhere.pem', 'is not a readable file of certificates in PEM (ENOENT)'],
  ['LICENSE_TOKEN_KEYS', '', 'LICENSE_TOKEN_KEYS_FILE: set exactly one of them'],
  ['LICENSE_TOKEN_KEYS', 'key', 'the keys are not valid JSON'],
  ['LICENSE_TOKEN_KEYS', JSON.stringify(key), 'the keys are not a JWK Set, an object with the array "keys"'],
  ['LICENSE_TOKEN_KEYS', textOf(), 'the JWK Set has no keys'],
  ['LICENSE_TOKEN_KEYS', textOf(key, key), 'keys[1] is a duplicate'],
])('%s is refused by name: %s', (variable, value, message) => {
  const said = message.startsWith('LICENSE_TOKEN_KEYS_FILE') ? `${variable} or ${message}` : `${variable}: ${message}`;
  expect(() => start({ ...complete, [variable]: value })).toThrow(new Error(`Invalid settings:\n  ${said}`));
});

test('a signing key that cannot sign is refused by the name of the setting that chose it', () => {
  const ids = [key, newKey()].map((jwk) =>
    signingKeysOf(loadSettings({ ...complete, LICENSE_TOKEN_KEYS: textOf(jwk) })),
  );
  const [own = '', other = ''] = ids.map(({ signing }) => signing.keyId);
  const choose = (LICENSE_TOKEN_SIGNING_KEY_ID: string, ...keys: object[]) =>
    start({ ...complete, LICENSE_TOKEN_KEYS: textOf(...keys), LICENSE_TOKEN_SIGNING_KEY_ID });
  expect(choose(own, newKey(), key)).toEqual([]);
  expect(() => choose(other, key)).toThrow(
    `\n  LICENSE_TOKEN_SIGNING_KEY_ID: unknown signing key id; the set has ${own}`,
  );
  expect(() => choose(own, publicKey)).toThrow(
    `\n  LICENSE_TOKEN_SIGNING_KEY_ID: the signing key ${own} has no private key (d)`,
  );
  expect(() => start({ ...complete, LICENSE_TOKEN_KEYS: textOf(publicKey) })).toThrow(
    `\n  LICENSE_TOKEN_KEYS: the signing key ${own} has no private key (d)`,
  );
});

test('every missing setting is named in one message', () => {
  expect(() => start({})).toThrow(
    new RegExp(
      ['PLAYBACK_PUBLIC_URL: is required', 'LICENSE_TOKEN_KEYS or LICENSE_TOKEN_KEYS_FILE: set', 'REDIS_URL'].join(
        '[^]*',
      ),
    ),
  );
});

test('keys of a file are refused by the name of the file’s setting', () => {
  const file = join(folder, 'keys.json');
  writeFileSync(file, '[]');
  const { LICENSE_TOKEN_KEYS, ...others } = complete;
  expect(() => start({ ...others, LICENSE_TOKEN_KEYS_FILE: file })).toThrow(
    '\n  LICENSE_TOKEN_KEYS_FILE: the keys are',
  );
});

describe('in production', () => {
  const production = { ...complete, NODE_ENV: 'production' };

  test.each([
    'http://playback.example.com',
    'http://localhost:8081',
    'https://localhost',
    'https://LOCALHOST:8443/drm',
    'https://playback.localhost',
    'https://127.0.0.1',
    'https://127.1',
    'https://0.0.0.0:8081',
    'https://[::1]:8081',
  ])('%s is refused as the URL for players, unless a setting allows it', (PLAYBACK_PUBLIC_URL) => {
    expect(() => start({ ...production, PLAYBACK_PUBLIC_URL })).toThrow(
      /^Invalid settings:\n {2}PLAYBACK_PUBLIC_URL: must be an https URL that players can reach.*ALLOW_INSECURE_PUBLIC_URL=true$/,
    );
    expect(start({ ...production, PLAYBACK_PUBLIC_URL, ALLOW_INSECURE_PUBLIC_URL: 'true' })).toEqual([]);
    expect(start({ ...complete, PLAYBACK_PUBLIC_URL })).toEqual([]);
  });

  test('what is no URL is refused by name', () => {
    expect(() => start({ ...production, PLAYBACK_PUBLIC_URL: 'playback.example.com' })).toThrow(
      new Error(`Invalid settings:\n  PLAYBACK_PUBLIC_URL: ${publicUrl}`),
    );
  });

  test.each([
    'https://playback.example.com',
    'https://localhost.example.com/drm',
    'https://10.0.0.7',
    'https://notlocalhost.example',
  ])('%s is accepted', (PLAYBACK_PUBLIC_URL) => {
    expect(start({ ...production, PLAYBACK_PUBLIC_URL })).toEqual([]);
  });
});

test.each<[what: string, environment: Record<string, string>, warning: RegExp]>([
  [
    'a misspelled setting',
    { SESSION_REQUEST_PER_MINUTE: '6' },
    /^SESSION_REQUEST_PER_MINUTE is not a setting.*SESSION_REQUESTS_PER_MINUTE may be meant$/,
  ],
  ['an environment that nobody knows', { NODE_ENV: 'live' }, /^NODE_ENV is none of production/],
  ['no keys for secrets', { SECRET_KEYS: '' }, /^SECRET_KEYS is not set: licenses .* Set the same id:key/],
])('a warning says what to do about %s', (_what, environment, warning) => {
  expect(start({ ...complete, ...environment })).toEqual([expect.stringMatching(warning)]);
});
