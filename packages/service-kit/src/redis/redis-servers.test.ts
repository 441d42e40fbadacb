import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSelfSignedCertificate } from '@multi-drm/test-kit';
import { parseSettings } from '../settings';
import { redisSettings } from './redis-servers';

const folder = mkdtempSync(join(tmpdir(), 'redis-servers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (environment: Record<string, string>) => parseSettings(redisSettings, environment).redis;

test('one Redis needs nothing but its URL', () => {
  expect(read({ REDIS_URL: 'redis://:pass@redis:6379/1' })).toEqual({
    kind: 'single',
    url: 'redis://:pass@redis:6379/1',
    credentials: {},
  });
});

test('Sentinels are read with the name of the primary and the credentials of both', () => {
  expect(
    read({
      REDIS_SENTINELS: 'redis://sentinel-1, redis://[::1]:5000',
      REDIS_PRIMARY_NAME: 'premiere',
      REDIS_SENTINEL_USERNAME: 'observer',
      REDIS_SENTINEL_PASSWORD: 'sentinel-pass',
      REDIS_USERNAME: 'multi-drm',
      REDIS_PASSWORD: 'redis-pass',
    }),
  ).toEqual({
    kind: 'sentinel',
    sentinels: [
      { host: 'sentinel-1', port: 26_379 },
      { host: '::1', port: 5_000 },
    ],
    primaryName: 'premiere',
    sentinelCredentials: { username: 'observer', password: 'sentinel-pass' },
    credentials: { username: 'multi-drm', password: 'redis-pass' },
  });
});

test('a cluster is read from the addresses of some of its nodes, encrypted by their protocol', () => {
  expect(read({ REDIS_CLUSTER: 'rediss://redis-1:7000,rediss://redis-2', REDIS_PASSWORD: 'pass' })).toEqual({
    kind: 'cluster',
    nodes: [
      { host: 'redis-1', port: 7_000 },
      { host: 'redis-2', port: 6_379 },
    ],
    credentials: { password: 'pass' },
    tls: {},
  });
});

test('a file that is absent or has no certificate is refused', () => {
  const file = join(folder, 'ca.pem');
  writeFileSync(file, 'none');
  const start = (REDIS_CA_FILE: string) => () => read({ REDIS_URL: 'rediss://redis', REDIS_CA_FILE });
  expect(start(file)).toThrow('REDIS_CA_FILE: is not a readable file of certificates in PEM');
  expect(start(`${file}.gone`)).toThrow('REDIS_CA_FILE: is not a readable file of certificates in PEM (ENOENT)');
});

const sentinels = { REDIS_SENTINELS: 'redis://s', REDIS_PRIMARY_NAME: 'p' };

test.each([
  [{}, 'REDIS_URL: is required, unless REDIS_SENTINELS or REDIS_CLUSTER is set'],
  [{ REDIS_URL: 'http://redis' }, 'REDIS_URL: must be an absolute URL with redis: or rediss:'],
  [{ REDIS_URL: 'redis://r', REDIS_CLUSTER: 'redis://c' }, 'REDIS_CLUSTER: must not be set together with REDIS_URL'],
  [{ ...sentinels, REDIS_PRIMARY_NAME: '' }, 'REDIS_PRIMARY_NAME: is required with REDIS_SENTINELS'],
  [{ REDIS_URL: 'redis://r', REDIS_PRIMARY_NAME: 'p' }, 'REDIS_PRIMARY_NAME: needs REDIS_SENTINELS'],
  [{ REDIS_URL: 'redis://r', REDIS_USERNAME: 'u' }, 'REDIS_USERNAME: needs REDIS_PASSWORD'],
  [{ ...sentinels, REDIS_SENTINEL_USERNAME: 'u' }, 'REDIS_SENTINEL_USERNAME: needs REDIS_SENTINEL_PASSWORD'],
  [
    { REDIS_URL: 'redis://:hidden@r', REDIS_PASSWORD: 'hidden' },
    'REDIS_PASSWORD: must not be set if REDIS_URL contains a password',
  ],
  [
    { REDIS_CLUSTER: 'redis://a,redis://user:hidden@b' },
    'REDIS_CLUSTER: entry 2 must be redis://host:port or rediss://host:port',
  ],
  [
    { REDIS_CLUSTER: 'redis://a,rediss://b' },
    'REDIS_CLUSTER: must have redis: in every entry, or rediss: in every entry',
  ],
])('%p is refused, with the variable to correct and without secrets', (environment, message) => {
  expect(() => read(environment)).toThrow(message);
  expect(() => read(environment)).not.toThrow(/hidden/);
});

test('certificates are read from their file, and refused without encryption', () => {
  const REDIS_CA_FILE = join(folder, 'authority.pem');
  const { certificate } = makeSelfSignedCertificate();
  writeFileSync(REDIS_CA_FILE, certificate);
  expect(read({ REDIS_CLUSTER: 'rediss://r', REDIS_CA_FILE }).tls).toEqual({ ca: certificate });
  expect(() => read({ REDIS_CLUSTER: 'redis://r', REDIS_CA_FILE })).toThrow(
    'REDIS_CA_FILE: needs rediss: in REDIS_CLUSTER',
  );
});
