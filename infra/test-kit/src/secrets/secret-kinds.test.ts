import { controlPlaneDocument, playbackDocument } from '@multi-drm/contracts';
import { kindOfMember, secretsOfAnswer, secretsOfHeaders, secretsOfRequest, secretsOfSettings } from './secret-kinds';

/** Members that are named like a secret but are not secret. */
const harmless = [
  'accessKeys', // the beginning and the times of each
  'keys', // contains content keys, each in `key`
  'drmLicenseToken', // expires within minutes or with its session
  ...['secretHeaderNames', 'previousSecretExpiresAt'], // of webhook endpoints
  ...['keySystems', 'licenseTokenLifetimeSeconds', 'tokenExpiresAt', 'tokenType'],
];

/** The names of all members in an OpenAPI document. */
function memberNames(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'properties') for (const property of Object.keys(member)) found.add(property);
    memberNames(member, found);
  }
  return found;
}

test('every member of the OpenAPI documents with a name like a secret is searched for or known not to be secret', () => {
  const names = [...memberNames(controlPlaneDocument), ...memberNames(playbackDocument)];
  const suspicious = names.filter((name) => /key|secret|token|password|credential|iv$/i.test(name));
  // Ids are public: those of keys are in every manifest.
  const unknown = suspicious.filter((name) => kindOfMember(name) === undefined && !/Ids?$/.test(name));
  expect([...new Set(unknown)].sort()).toEqual(harmless.sort());
});

test('secrets in a request are recognized by member name, and keys by prefix anywhere', () => {
  const backend = { type: 'http', secretHeaders: { 'X-Key': 'a credential' }, headers: { 'X-Tenant': 'open to all' } };
  const keys = [{ keyId: '10000000-1000-1000-1000-10000000000a', key: 'a0b1'.repeat(8) }];
  const given = { backend, keys, name: `mk_${'a'.repeat(16)}`, attributes: { key: 'what a customer likes' } };
  expect(secretsOfRequest(JSON.stringify(given))).toEqual(
    expect.arrayContaining([
      { kind: 'license backend secret', value: 'a credential' },
      { kind: 'content key', value: 'a0b1'.repeat(8) },
      { kind: 'management key', value: `mk_${'a'.repeat(16)}` },
    ]),
  );
  expect(secretsOfRequest(JSON.stringify(given))).toHaveLength(3);
  expect(secretsOfRequest('no JSON')).toEqual([]);
  expect(secretsOfRequest(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toEqual([]);
});

test('a secret with three or fewer different characters is not searched for, because other values may look like it', () => {
  expect(secretsOfRequest(JSON.stringify({ accessKey: 'x'.repeat(64) }))).toEqual([]);
  expect(secretsOfRequest(JSON.stringify({ key: '0'.repeat(32) }))).toEqual([]);
  expect(secretsOfRequest(JSON.stringify({ key: 'a0'.repeat(16) }))).toEqual([]);
});

test('what fuzzing sends in place of a secret and of a name is not searched for', () => {
  expect(secretsOfRequest(JSON.stringify({ accessKey: 'constructor' }))).toEqual([]);
});

test('a message about a member in a response is not secret, unlike a key that it contains', () => {
  const accessKey = `ak_${'b'.repeat(43)}`;
  expect(secretsOfAnswer(JSON.stringify({ errors: { siteKey: ['must have 32 characters'] }, accessKey }))).toEqual([
    { kind: 'access key', value: accessKey },
  ]);
  const secret = `whsec_${Buffer.alloc(32, 'a/+').toString('base64')}`;
  expect(secretsOfAnswer(JSON.stringify({ secret }))).toEqual([{ kind: 'webhook secret', value: secret }]);
});

test('secrets are found in headers and settings', () => {
  expect(secretsOfHeaders(['Authorization', `Bearer op_${'c'.repeat(16)}`, 'Accept', '*/*'])).toEqual([
    { kind: 'operator key', value: `op_${'c'.repeat(16)}` },
  ]);
  const settings = { SECRET_KEYS: 'new:bmV3,old:b2xk', LICENSE_TOKEN_KEYS: '{"keys":[{"kty":"EC","d":"private"}]}' };
  expect(secretsOfSettings(settings)).toEqual([
    { kind: 'key of SECRET_KEYS', value: 'bmV3' },
    { kind: 'key of SECRET_KEYS', value: 'b2xk' },
    { kind: 'private key of license tokens', value: 'private' },
  ]);
});
