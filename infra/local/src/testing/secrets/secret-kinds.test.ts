import { controlPlaneDocument, playbackDocument } from '@multi-drm/contracts';
import { secretMembers, secretsOfAnswer, secretsOfHeaders, secretsOfRequest, secretsOfSettings } from './secret-kinds';

/** Members with a name like a secret's that are none. */
const harmless = [
  'keyId', // public in every manifest
  'keys', // holds content keys, each of which is in `key`
  'communicationKeyId',
  'sharedSecretId',
  'managementKey', // holds the key, which its prefix tells
  'drmLicenseToken', // ends within minutes or with its session
  ...['keyIds', 'keySystems', 'licenseTokenLifetimeSeconds', 'tokenExpiresAt', 'tokenType'],
];

/** The names of all members that an OpenAPI document describes. */
function memberNames(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'properties') for (const property of Object.keys(member)) found.add(property);
    memberNames(member, found);
  }
  return found;
}

test('every member of the OpenAPI documents that is named like a secret is searched for, or known to be none', () => {
  const names = [...memberNames(controlPlaneDocument), ...memberNames(playbackDocument)];
  const suspicious = names.filter((name) => /key|secret|token|password|credential|iv$/i.test(name));
  const known = [...secretMembers.keys(), ...harmless];
  expect([...new Set(suspicious)].sort()).toEqual(known.sort());
});

test('secrets of a request are told by their members, and keys by their prefix, wherever they are', () => {
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

test('a content key of three digits or fewer is not searched for, since numbers hold the like', () => {
  expect(secretsOfRequest(JSON.stringify({ key: '0'.repeat(32) }))).toEqual([]);
  expect(secretsOfRequest(JSON.stringify({ key: 'a0'.repeat(16) }))).toEqual([]);
});

test('what an answer says of a member is no secret, unlike a key that it shows', () => {
  const accessKey = `ak_${'b'.repeat(43)}`;
  expect(secretsOfAnswer(JSON.stringify({ errors: { siteKey: ['must have 32 characters'] }, accessKey }))).toEqual([
    { kind: 'access key', value: accessKey },
  ]);
});

test('headers and settings hold secrets', () => {
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
