import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { KnownTokens } from './known-tokens';
import {
  type LicenseTokenFields,
  type LicenseTokenSettings,
  type LicenseTokenUse,
  requireCurrent,
  signLicenseToken,
  verifyLicenseToken,
} from './license-token';
import { parseSigningKeys } from './signing-keys';

const newPrivateKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const textOf = (...keys: KeyObject[]) => JSON.stringify({ keys: keys.map((key) => key.export({ format: 'jwk' })) });
const [oldKey, ownKey, foreignKey] = [newPrivateKey(), newPrivateKey(), newPrivateKey()];
const keys = parseSigningKeys(textOf(ownKey, oldKey));

const settings: LicenseTokenSettings = {
  keys,
  issuer: 'https://play.example',
  audience: 'https://play.example/licenses',
  backdateSeconds: 60,
  newTokenId: () => '7b0ad1f0-55a5-4b43-8d3c-4b1a0f5d2c33',
  known: new KnownTokens(),
};
const now = new Date('2026-03-01T12:00:00.700Z');
const nowSeconds = Date.parse('2026-03-01T12:00:00Z') / 1000;
const later = (seconds: number) => new Date((nowSeconds + seconds) * 1000);

const widevine = { securityLevel: 1, hdcp: 'none' } as const;
const signedPolicy: LicenseTokenFields['policy'] = {
  template: 'single-software',
  maximumHeight: 1080,
  tracks: [{ trackTypes: ['AUDIO', 'SD'], widevine }],
  maximumConcurrentStreams: 2,
};
const request: LicenseTokenFields = {
  subject: 'lms:3f9c:17',
  sessionId: '5c0e4a52-6a3e-4d0b-9a53-0f9a4c1f2b77',
  environmentId: '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
  contentId: 'lesson-0042',
  drmSystem: 'widevine',
  policy: signedPolicy,
  reservationId: '8d3c7b0a-55a5-4b43-8d3c-4b1a0f5d2c33',
  expiresAt: new Date('2026-03-01T13:00:00.900Z'),
  record: [1, 'record'],
};
const use: LicenseTokenUse = {
  environmentId: request.environmentId,
  sessionId: request.sessionId,
  drmSystem: 'widevine',
};
const header = { alg: 'ES256', typ: 'drm-license+jwt', kid: keys.signing.keyId };
const claims = {
  iss: settings.issuer,
  aud: settings.audience,
  sub: request.subject,
  sid: request.sessionId,
  env: request.environmentId,
  cid: request.contentId,
  drm: request.drmSystem,
  pol: signedPolicy,
  jti: settings.newTokenId(),
  iat: nowSeconds - 60,
  nbf: nowSeconds - 60,
  exp: nowSeconds + 3600,
  rid: request.reservationId,
  rec: request.record,
};

const { token } = signLicenseToken(settings, request, now);
/** Verifies as a process that has not met the token before. */
const verifyUnknown = (own: LicenseTokenSettings, candidate: string, tokenUse: LicenseTokenUse) =>
  verifyLicenseToken({ ...own, known: new KnownTokens() }, candidate, tokenUse);
const verify = (candidate: string, change: Partial<LicenseTokenUse> = {}) =>
  verifyUnknown(settings, candidate, { ...use, ...change });
const refusal = (detail: string) =>
  expect.objectContaining({ code: 'token_invalid', detail: expect.stringContaining(detail) });

// Builds tokens without the library under test, so that each can violate one rule.
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const inputOf = (head: object, payload: object) => `${base64url(head)}.${base64url(payload)}`;
function forge(head: object, payload: object, key: KeyObject = ownKey): string {
  const input = inputOf(head, payload);
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

describe('a signed token', () => {
  test('has exactly the header and claims of the contract', () => {
    const [head, payload] = token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    expect([head, payload]).toEqual([header, claims]);
  });

  test('expires at the requested time, truncated to the second', () => {
    expect(signLicenseToken(settings, request, now).expiresAt).toEqual(new Date('2026-03-01T13:00:00.000Z'));
  });

  test('can be verified with another library and the published key set', async () => {
    const result = await jwtVerify(token, createLocalJWKSet(keys.jsonWebKeySet), {
      algorithms: ['ES256'],
      typ: 'drm-license+jwt',
      issuer: settings.issuer,
      audience: settings.audience,
      currentDate: now,
    });
    expect(result.payload).toEqual(claims);
  });

  test('is verified with all its claims', () => {
    const { policy: _resolved, ...fields } = request;
    expect(verify(token)).toEqual({
      ...fields,
      policy: signedPolicy,
      tokenId: claims.jti,
      notBefore: new Date('2026-03-01T11:59:00.000Z'),
      expiresAt: new Date('2026-03-01T13:00:00.000Z'),
    });
  });

  test('preserves any subject and content id', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(text, text, (subject, contentId) => {
        const signed = signLicenseToken(settings, { ...request, subject, contentId }, now);
        expect(verify(signed.token)).toMatchObject({ subject, contentId });
      }),
    );
  });

  test('of a key that no longer signs stays valid while its public key is in the set', () => {
    const before = { ...settings, keys: parseSigningKeys(textOf(oldKey)) };
    const earlier = signLicenseToken(before, request, now);
    expect(verify(earlier.token).sessionId).toBe(request.sessionId);
  });
});

describe('the size of a token', () => {
  const trackTypes = ['AUDIO', 'SD', 'HD', 'UHD1', 'UHD2'] as const;
  const levels = [150, 2000, 3000, 150, 2000] as const;
  const protections = ['none', 'hdcp', 'hdcp-type1', 'hdcp-type1', 'hdcp-type1'] as const;
  const largest: LicenseTokenFields = {
    ...request,
    subject: '\u{1F3AC}'.repeat(256), // 4 bytes each
    contentId: '"'.repeat(200), // doubled in JSON
    sessionId: 's'.repeat(128),
    drmSystem: 'playready',
    policy: {
      template: 'multi-tier-standard',
      maximumHeight: 4320,
      tracks: trackTypes.map((trackType, index) => ({
        trackTypes: [trackType],
        playready: { securityLevel: levels[index] ?? 150, outputProtection: protections[index] ?? 'none' },
      })),
      maximumConcurrentStreams: 1000,
      licenseDurationSeconds: 31536000,
      playbackDurationSeconds: 31536000,
      availableFrom: '2026-01-01T00:00:00.000Z',
      availableUntil: '2027-01-01T00:00:00.000Z',
    },
  };
  const longNames = { ...settings, issuer: `https://${'i'.repeat(192)}`, audience: `https://${'a'.repeat(192)}` };
  const largestUse: LicenseTokenUse = { ...use, sessionId: largest.sessionId, drmSystem: 'playready' };

  test('stays under 4 KiB for the largest request that the contract accepts', () => {
    const { token: large } = signLicenseToken(longNames, largest, now);
    expect(large.length).toBeLessThan(4096);
    expect(verifyUnknown(longNames, large, largestUse).subject).toBe(largest.subject);
  });

  test('is kept by leaving out the record', () => {
    const record = ['r'.repeat(2000)];
    expect(verify(signLicenseToken(settings, { ...request, record }, now).token).record).toEqual(record);
    const { token: large } = signLicenseToken(longNames, { ...largest, record }, now);
    expect(verifyUnknown(longNames, large, largestUse).record).toBeNull();
  });

  test('is enforced: a larger token is not issued', () => {
    const larger = { ...largest, sessionId: 's'.repeat(1000) };
    expect(() => signLicenseToken(longNames, larger, now)).toThrow(RangeError);
  });
});

describe('the times of a token', () => {
  test.each([
    ['at the moment of signing', 0],
    ['in its last second', 3599],
    ['at its nbf', -60],
    ['five minutes before its nbf', -360],
  ])('are valid %s', (_case, seconds) => {
    expect(() => requireCurrent(verify(token), later(seconds))).not.toThrow();
  });

  test('end at its exp: token_expired', () => {
    expect(() => requireCurrent(verify(token), later(3600))).toThrow(
      expect.objectContaining({ code: 'token_expired' }),
    );
  });

  test('begin five minutes before its nbf: service_unavailable, which can be retried, before', () => {
    expect(() => requireCurrent(verify(token), later(-361))).toThrow(
      expect.objectContaining({ code: 'service_unavailable' }),
    );
  });
});

describe('the binding of a token', () => {
  test('requires no DRM system if the route names none', () => {
    const { drmSystem: _any, ...anySystem } = use;
    expect(verifyUnknown(settings, token, anySystem).drmSystem).toBe('widevine');
  });

  test.each<[string, Partial<LicenseTokenUse>, string]>([
    ['environment', { environmentId: 'b1b5c1f4-6a52-4f0e-8f0b-0d5f3f8e2c11' }, 'for another environment'],
    ['session', { sessionId: 'b1b5c1f4-6a52-4f0e-8f0b-0d5f3f8e2c11' }, 'for another session'],
    ['session that differs in case', { sessionId: request.sessionId.toUpperCase() }, 'for another session'],
    ['DRM system', { drmSystem: 'fairplay' }, 'for another DRM system'],
  ])('refuses another %s', (_case, change, detail) => {
    expect(() => verify(token, change)).toThrow(refusal(detail));
  });
});

const publicKey = keys.publicKeys.get(keys.signing.keyId);
const publicPem = `${publicKey?.export({ type: 'spki', format: 'pem' })}`;
const [headPart, payloadPart, signaturePart] = token.split('.');
const otherPayload = base64url({ ...claims, sub: 'another viewer' });
const foreignJwk = parseSigningKeys(textOf(foreignKey)).jsonWebKeySet.keys[0];
const macOf = (input: string, secret: string) =>
  `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
const derSignature = (input: string) => `${input}.${sign('sha256', Buffer.from(input), ownKey).toString('base64url')}`;
const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name));

test('a token without a record is accepted', () => {
  expect(verify(forge(header, without('rec')))).toEqual({ ...verify(token), record: null });
});

test('a record in another form is read as none', () => {
  expect(verify(forge(header, { ...claims, rec: 'cmVjb3Jk' }))).toEqual({ ...verify(token), record: null });
});

test('a token that this test forges by all the rules is accepted, with unknown claims and header members', () => {
  const forged = forge({ ...header, jwk: foreignJwk, x5u: 'https://evil.example' }, { ...claims, extra: true });
  expect(verify(forged)).toEqual(verify(token));
});

test.each<[string, string]>([
  ['an empty string', ''],
  ['a string that is not a token', 'Bearer'],
  ['a token without its signature', `${headPart}.${payloadPart}`],
  ['a token with an empty signature', `${headPart}.${payloadPart}.`],
  ['a truncated token', token.slice(0, -4)],
  ['a token of four parts', `${token}.${signaturePart}`],
  ['a token with white space', `${token}\n`],
  ['a header that is not JSON', `e30x.${payloadPart}.${signaturePart}`],
  ['another payload under the signature', `${headPart}.${otherPayload}.${signaturePart}`],
  ['another header under the signature', `${base64url({ ...header, cty: 'JWT' })}.${payloadPart}.${signaturePart}`],
  ['alg none without a signature', `${inputOf({ ...header, alg: 'none' }, claims)}.`],
  ['alg none with a signature', forge({ ...header, alg: 'none' }, claims)],
  ['no alg', forge({ typ: header.typ, kid: header.kid }, claims)],
  ['HS256 with the public key as the secret', macOf(inputOf({ ...header, alg: 'HS256' }, claims), publicPem)],
  ['ES256 with a MAC made with the public key', macOf(inputOf(header, claims), publicPem)],
  ['ES384', forge({ ...header, alg: 'ES384' }, claims)],
  ['a signature in DER', derSignature(inputOf(header, claims))],
  ['typ JWT', forge({ ...header, typ: 'JWT' }, claims)],
  ['typ at+jwt', forge({ ...header, typ: 'at+jwt' }, claims)],
  ['no typ', forge({ alg: header.alg, kid: header.kid }, claims)],
  ['no kid', forge({ alg: header.alg, typ: header.typ }, claims)],
  ['an unknown kid', forge({ ...header, kid: foreignJwk?.kid }, claims, foreignKey)],
  ['an unknown kid with a known signature', forge({ ...header, kid: foreignJwk?.kid }, claims)],
  ['the kid of a known key with the signature of another known key', forge(header, claims, oldKey)],
  ['a known kid with a foreign signature', forge(header, claims, foreignKey)],
  ['a foreign signature with its key in the header', forge({ ...header, jwk: foreignJwk }, claims, foreignKey)],
  ['crit with a member', forge({ ...header, crit: ['exp'] }, claims)],
  ['an empty crit', forge({ ...header, crit: [] }, claims)],
  ['another issuer', forge(header, { ...claims, iss: 'https://play.example.evil' })],
  ['another audience', forge(header, { ...claims, aud: 'https://play.example' })],
  ['several audiences', forge(header, { ...claims, aud: [settings.audience, 'https://other.example'] })],
  ['a payload that is not an object', forge(header, [claims])],
  ['an exp that is a string', forge(header, { ...claims, exp: `${claims.exp}` })],
  ['an exp that is not an integer', forge(header, { ...claims, exp: claims.exp + 0.5 })],
  ['an unknown DRM system', forge(header, { ...claims, drm: 'chinadrm' })],
  ['a policy with rules of another DRM system', forge(header, { ...claims, drm: 'fairplay' })],
  ['a policy whose height is a string', forge(header, { ...claims, pol: { ...signedPolicy, maximumHeight: '1080' } })],
  ...Object.keys(without('rec')).map((name): [string, string] => [`no ${name}`, forge(header, without(name))]),
  ...Object.keys(without('rec')).map((name): [string, string] => [
    `an empty object as ${name}`,
    forge(header, { ...claims, [name]: {} }),
  ]),
])('%s is refused', (_case, candidate) => {
  const { drmSystem: _any, ...anySystem } = use;
  expect(() => verifyUnknown(settings, candidate, anySystem)).toThrow(refusal('not a valid token'));
});

test('a valid token of more than 4 KiB is refused without parsing', () => {
  expect(() => verify(forge(header, { ...claims, extra: 'x'.repeat(4096) }))).toThrow(refusal('too long'));
});
