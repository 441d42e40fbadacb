import { randomUUID } from 'node:crypto';
import { hashOf } from './access/credentials';
import { readSettings } from './settings';
import { controlPlaneWarnings } from './settings-warnings';

const required = { DATABASE_URL: 'postgresql://localhost/drm', REDIS_URL: 'redis://localhost' };
const secretKey = Buffer.alloc(32, 7).toString('base64');
const issuer = {
  issuer: 'https://idp.example.com',
  audience: 'multi-drm',
  organizations: [{ organizationId: randomUUID(), maximumRole: 'admin' }],
};
const issuers = (...entries: object[]) => JSON.stringify(entries);

test.each<[variable: string, value: string, message: string]>([
  ['DATABASE_URL', '', 'is required'],
  ['DATABASE_URL', 'mysql://localhost/drm', 'must be an absolute URL with postgresql: or postgres:'],
  ['PORT', '80800', 'must be at most 65535'],
  ['METRICS_PORT', '8080', 'must differ from PORT'],
  ['LOG_LEVEL', 'verbose', 'must be error, warn, info or debug'],
  ['OPERATOR_KEYS', 'op_plain', 'entry 1 must be name:hash, the hash being the SHA-256 of the key in 64 hex digits'],
  ['OPERATOR_KEYS', `a:${hashOf('a')},a:${hashOf('b')}`, 'entry 2 repeats a name'],
  ['SECRET_KEYS', secretKey, 'entry 1 must be keyId:key, where key is 32 bytes in base64'],
  ['SECRET_KEYS', `a:${secretKey},a:${secretKey}`, 'entry 2 repeats a key id'],
  ['REGISTRATION', 'closed', 'must be open, approval or paused'],
  ['CONTROL_PLANE_TASKS', 'api,event', 'must be some of api, publish, events, webhooks, separated by commas'],
  ['WEBHOOK_ALLOWED_HOSTS', 'http://hooks', '"http://hooks" is not a host name, an IP address or a CIDR'],
  ['WEBHOOK_RETRY_SECONDS', '5,0', 'must be up to 20 numbers from 1 to 86400, separated by commas'],
  ['WEBHOOK_RETRY_SECONDS', '5,86401', 'must be up to 20 numbers from 1 to 86400, separated by commas'],
  ['EVENT_RETENTION_DAYS', '1', 'must be at least 2'],
  ['REGISTRATIONS_PER_HOUR', '0', 'must be at least 1'],
  ['LICENSE_BACKEND_TIMEOUT_MILLISECONDS', '5s', 'must be a whole number'],
  ['OUTBOUND_ALLOWED_HOSTS', 'http://idp', '"http://idp" is not a host name, an IP address or a CIDR'],
  [
    'TRUSTED_PROXIES',
    'proxy.example.com',
    'must be addresses, networks such as 10.0.0.0/8, or `loopback`, separated by commas',
  ],
  ['SERVICE_AGREEMENT_URL', 'agreement.html', 'must be an absolute http or https URL (RFC 3986) without credentials'],
  ['SERVICE_AGREEMENT_VERSION', 'v'.repeat(65), 'must have at most 64 characters'],
  ['OIDC_ISSUERS', 'https://idp.example.com', 'must be JSON'],
  ['OIDC_ISSUERS', JSON.stringify(issuer), 'must be of the type array'],
  ['OIDC_ISSUERS.0.audience', issuers({ ...issuer, audience: undefined }), 'is required'],
  ['OIDC_ISSUERS.0.audience', issuers({ ...issuer, audience: '' }), 'must not be empty'],
  ['OIDC_ISSUERS.0', issuers({ ...issuer, audiense: 'us' }), 'has members that are not known: audiense'],
  ['OIDC_ISSUERS.0.organizations', issuers({ ...issuer, organizations: [] }), 'must not be empty'],
  [
    'OIDC_ISSUERS.0.organizations.0.organizationId',
    issuers({ ...issuer, organizations: [{ organizationId: 'acme', maximumRole: 'admin' }] }),
    'must be a UUID',
  ],
  [
    'OIDC_ISSUERS.0.organizations.0.maximumRole',
    issuers({ ...issuer, organizations: [{ organizationId: randomUUID(), maximumRole: 'operator' }] }),
    'must be viewer or support or editor or admin or owner',
  ],
  ['OIDC_ISSUERS.0.roleClaim', issuers({ ...issuer, roleClaim: 17 }), 'must be of the type string'],
  ['OIDC_ISSUERS.1.issuer', issuers(issuer, issuer), 'is that of another entry, too'],
  ['REDIS_URL', 'http://localhost', 'must be an absolute URL with redis: or rediss:'],
  ['REDIS_CLUSTER', 'redis://localhost', 'must not be set together with REDIS_URL'],
  ['REDIS_PRIMARY_NAME', 'multi-drm', 'needs REDIS_SENTINELS'],
  ['REDIS_USERNAME', 'drm', 'needs REDIS_PASSWORD'],
])('%s is refused by name: %s', (variable, value, message) => {
  const [name = ''] = variable.split('.');
  expect(() => readSettings({ ...required, [name]: value })).toThrow(
    new Error(`Invalid settings:\n  ${variable}: ${message}`),
  );
});

const complete = { ...required, OPERATOR_KEYS: `alice:${hashOf('key')}`, SECRET_KEYS: `a:${secretKey}` };
const warningsOf = (environment: Record<string, string>) =>
  controlPlaneWarnings(readSettings(environment), environment);

test('nothing is said of settings that are right', () => {
  const environment = { ...complete, NODE_ENV: 'production', OIDC_ISSUERS: issuers(issuer), HOME: '/root' };
  expect(warningsOf(environment)).toEqual([]);
});

test.each<[what: string, environment: Record<string, string>, warning: RegExp]>([
  ['a misspelled setting', { ...complete, OPERATOR_KEY: 'a' }, /^OPERATOR_KEY is not a setting.*OPERATOR_KEYS may be/],
  ['an environment that nobody knows', { ...complete, NODE_ENV: 'prod' }, /^NODE_ENV is none of production/],
  ['no keys for secrets', { ...complete, SECRET_KEYS: '' }, /^SECRET_KEYS is not set: .* Set the same id:key/],
  [
    'approval without anybody who approves',
    { ...complete, OPERATOR_KEYS: '', REGISTRATION: 'approval' },
    /^OPERATOR_KEYS is not set, so nobody can approve a registration: set it/,
  ],
  [
    'the same in production, where approval is the default',
    { ...complete, OPERATOR_KEYS: '', NODE_ENV: 'production' },
    /^OPERATOR_KEYS is not set/,
  ],
  [
    'an issuer without encryption in production',
    { ...complete, NODE_ENV: 'production', OIDC_ISSUERS: issuers({ ...issuer, issuer: 'http://idp.example.com' }) },
    /^OIDC_ISSUERS\.0\.issuer begins with http:.*use https:$/,
  ],
  [
    'keys of an issuer without encryption in production',
    { ...complete, NODE_ENV: 'production', OIDC_ISSUERS: issuers({ ...issuer, jwksUri: 'HTTP://idp.example.com' }) },
    /^OIDC_ISSUERS\.0\.jwksUri begins with http:/,
  ],
])('a warning says what to do about %s', (_what, environment, warning) => {
  expect(warningsOf(environment)).toEqual([expect.stringMatching(warning)]);
});

test('an issuer without encryption is no matter on a machine that is not production', () => {
  const OIDC_ISSUERS = issuers({ ...issuer, issuer: 'http://127.0.0.1:4000' });
  expect(warningsOf({ ...complete, OIDC_ISSUERS })).toEqual([]);
});
