import { randomUUID } from 'node:crypto';
import { redisAt, SettingsError } from '@multi-drm/service-kit';
import { hashOf } from './access/credentials';
import { readSettings } from './settings';

const required = { DATABASE_URL: 'postgresql://localhost/drm', REDIS_URL: 'redis://localhost' };

test('two addresses are the only required settings', () => {
  expect(readSettings(required)).toEqual({
    DATABASE_URL: required.DATABASE_URL,
    redis: redisAt(required.REDIS_URL),
    PORT: 8080,
    CONTROL_PLANE_TASKS: ['api', 'publish', 'events', 'webhooks'],
    EVENT_RETENTION_DAYS: 30,
    KEEP_ALIVE_SECONDS: 65,
    LICENSE_BACKEND_TIMEOUT_MILLISECONDS: 5_000,
    LOG_LEVEL: 'info',
    SESSION_ID_RETENTION_SECONDS: 86_400,
    ORGANIZATION_REQUESTS_PER_MINUTE: 6_000,
    ORGANIZATION_REQUESTS_AT_ONCE: 1,
    UNAUTHENTICATED_REQUESTS_PER_MINUTE: 600,
    REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: 60,
    OPERATOR_KEYS: [],
    OIDC_ISSUERS: [],
    OUTBOUND_ALLOWED_HOSTS: expect.anything(),
    TRUSTED_PROXIES: [],
    REGISTRATIONS_PER_HOUR: 60,
    SECRET_KEYS: [],
    REGISTRATION: 'open',
    SERVICE_AGREEMENT_VERSION: '2026-01',
    WEBHOOK_ALLOWED_HOSTS: expect.anything(),
    WEBHOOK_RETRY_SECONDS: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    SHUTDOWN_DELAY_MILLISECONDS: 5_000,
    SHUTDOWN_GRACE_MILLISECONDS: 20_000,
  });
});

test('operator keys are read as names and hashes', () => {
  const hash = hashOf('op_key');
  expect(readSettings({ ...required, OPERATOR_KEYS: `alice:${hash}` }).OPERATOR_KEYS).toEqual([
    { name: 'alice', hash },
  ]);
});

test('tasks are read as a list', () => {
  expect(readSettings({ ...required, CONTROL_PLANE_TASKS: 'events, api' }).CONTROL_PLANE_TASKS).toEqual([
    'events',
    'api',
  ]);
});

test('keys of secrets are read as ids and keys', () => {
  const key = Buffer.alloc(32, 7);
  expect(readSettings({ ...required, SECRET_KEYS: `2026:${key.toString('base64')}` }).SECRET_KEYS).toEqual([
    { id: '2026', key },
  ]);
});

test('all errors are reported together, without values', () => {
  const read = () =>
    readSettings({
      DATABASE_URL: 'mysql://root:hunter2@localhost/drm',
      PORT: '0',
      OPERATOR_KEYS: 'alice:op_plain,bob:op_plain',
      SECRET_KEYS: 'first:c2hvcnQ=',
      REGISTRATION: 'closed',
      SERVICE_AGREEMENT_URL: 'agreement.html',
    });
  expect(read).toThrow(SettingsError);
  expect(read).toThrow(
    [
      'Invalid settings:',
      '  PORT: must be at least 1',
      '  DATABASE_URL: must be an absolute URL with postgresql: or postgres:',
      '  OPERATOR_KEYS: entry 1 must be name:hash, the hash being the SHA-256 of the key in 64 hex digits',
      '  OPERATOR_KEYS: entry 2 must be name:hash, the hash being the SHA-256 of the key in 64 hex digits',
      '  SECRET_KEYS: entry 1 must be keyId:key, where key is 32 bytes in base64',
      '  REGISTRATION: must be open, approval or paused',
      '  SERVICE_AGREEMENT_URL: must be an absolute http or https URL (RFC 3986) without credentials',
      '  REDIS_URL: is required, unless REDIS_SENTINELS or REDIS_CLUSTER is set',
    ].join('\n'),
  );
});

test('in production, a registration waits for approval unless the operator configures otherwise', () => {
  expect(readSettings({ ...required, NODE_ENV: 'production' }).REGISTRATION).toBe('approval');
  expect(readSettings({ ...required, NODE_ENV: 'production', REGISTRATION: 'open' }).REGISTRATION).toBe('open');
});

test('errors of an identity provider are reported by position', () => {
  const issuers = [
    { issuer: 'not a URL', audience: 'us', organizations: [{ organizationId: 'x', maximumRole: 'operator' }] },
  ];
  const read = (OIDC_ISSUERS: string) => () => readSettings({ ...required, OIDC_ISSUERS });
  const audienceOf = { audience: 'us', organizations: [{ organizationId: randomUUID(), maximumRole: 'viewer' }] };
  const withCredentials = [
    { issuer: 'https://@idp.example.com', jwksUri: 'https://a:b@idp.example.com', ...audienceOf },
  ];
  expect(read(JSON.stringify(withCredentials))).toThrow(
    /OIDC_ISSUERS\.0\.issuer.*without credentials\n.*OIDC_ISSUERS\.0\.jwksUri.*without credentials$/,
  );
  expect(read('[')).toThrow('OIDC_ISSUERS: must be JSON');
  expect(read(JSON.stringify(issuers))).toThrow(
    /OIDC_ISSUERS\.0\.issuer.*\n.*OIDC_ISSUERS\.0\.organizations\.0\.organizationId.*\n.*OIDC_ISSUERS\.0\.organizations\.0\.maximumRole/,
  );
});
