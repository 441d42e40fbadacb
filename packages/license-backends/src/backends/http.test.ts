import { generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, exportJWK, jwtVerify } from 'jose';
import type { SettingsByType } from './backend-descriptor';
import { httpBackend } from './http';
import type { LicenseBackend } from './license-backend';
import { policySigner } from './policy-token';
import { callOf, keyOfAll, keys, now, templatePolicy } from './testing/calls';
import { answerOf, exchange, type FakeServer, rawChallengeHeaders, requestOf } from './testing/exchange';
import { problemOf, refusalTests } from './testing/refusal-cases';
import { challenges, licenses } from './testing/sample-messages';

type HttpSettings = SettingsByType['http'];

const systems = ['widevine', 'playready', 'fairplay', 'wiseplay'] as const;
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keyId = 'key-1';
const signingKeys = { signing: { keyId, privateKey } };
const issuer = 'https://play.example';
const url = 'https://keys.customer.example:8443/license?tenant=7';

const settings: HttpSettings = {
  type: 'http',
  url,
  headers: { 'X-Tenant': 'seven', 'content-type': 'application/x-challenge' },
  secretHeaders: { Authorization: 'Basic c2VjcmV0', 'x-tenant': '7' },
  policyHeader: 'X-Policy',
  responseFormat: 'raw',
};
const plain: HttpSettings = { type: 'http', url, responseFormat: 'raw' };
const backendOf = (changes: Partial<HttpSettings>): LicenseBackend =>
  httpBackend.create({ ...plain, ...changes }, policySigner({ keys: signingKeys, issuer }));

test.each(systems)('%s: sends the raw challenge and returns the raw license', async (drmSystem) => {
  const server: FakeServer = (request) => {
    expect(request).toEqual({ url, headers: rawChallengeHeaders(drmSystem), body: challenges[drmSystem] });
    return answerOf(200, licenses[drmSystem]);
  };
  expect(await exchange(backendOf({}), callOf(drmSystem), server)).toEqual(licenses[drmSystem]);
});

test('PlayReady: only a UTF-8 message declares its charset, since XML in another encoding declares it itself', () => {
  const contentTypeOf = (challenge: Buffer) =>
    requestOf(backendOf({}), callOf('playready', { challenge })).headers['content-type'];
  expect(contentTypeOf(challenges.playready)).toBe('text/xml; charset=utf-8');
  const utf16 = Buffer.from(challenges.playready.toString(), 'utf16le');
  expect([utf16, Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])].map(contentTypeOf)).toEqual([
    'text/xml',
    'text/xml',
  ]);
});

test('WisePlay: a JSON message is declared as JSON', () => {
  const challenge = Buffer.from('{"payload":"AAAA"}');
  const { headers } = requestOf(backendOf({}), callOf('wiseplay', { challenge }));
  expect(headers).toEqual({ 'content-type': 'application/json' });
});

test('adds configured headers, where secret ones win over others, and the signed policy', async () => {
  const backend = backendOf(settings);
  const call = callOf('widevine');
  const { headers } = requestOf(backend, call);
  const { 'x-policy': token = '', ...others } = headers;
  expect(others).toEqual({
    'content-type': 'application/x-challenge',
    'x-tenant': '7',
    authorization: 'Basic c2VjcmV0',
  });

  const published = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: keyId }] });
  const { payload, protectedHeader } = await jwtVerify(token, published, {
    algorithms: ['ES256'],
    issuer,
    audience: 'https://keys.customer.example:8443',
    typ: 'drm-policy+jwt',
    currentDate: now,
  });
  expect(protectedHeader.kid).toBe(keyId);
  expect(payload).toMatchObject({
    sub: call.subject,
    sid: call.sessionId,
    env: call.environmentId,
    cid: call.contentId,
    drm: 'widevine',
    pol: call.policy,
    kids: keys.map(({ keyId }) => keyId),
    lic_exp: Date.parse('2026-03-01T13:00:00Z') / 1000,
    jti: call.randomUuid(),
  });
});

test.each(['multi-tier-standard', 'single-hardware'])(
  'one key for all tracks of %s has the strictest rules in the signed policy',
  (template) => {
    const call = callOf('widevine', { keys: [keyOfAll], policy: templatePolicy(template, 'widevine') });
    const { 'x-policy': token = '' } = requestOf(backendOf(settings), call).headers;
    expect(decodeJwt(token).pol).toEqual({
      ...call.policy,
      tracks: [{ trackTypes: keyOfAll.trackTypes, widevine: { securityLevel: 5, hdcp: '2.2' } }],
    });
  },
);

const encoded = licenses.fairplay.toString('base64');

test.each([
  ['base64', `${encoded}\n`],
  ['base64', licenses.fairplay.toString('base64url')],
  ['ckc-xml', `<ckc>\n${encoded}\n</ckc>\n`],
  ['ckc-xml', `<ckc>${licenses.fairplay.toString('base64url')}</ckc>`],
  ['$.license', { license: encoded }],
  ['$.license', { license: licenses.fairplay.toString('base64url') }],
  ['$.a.b-c', { a: { 'b-c': encoded } }],
])('accepts a license as %s', (responseFormat, answer) => {
  const license = backendOf({ responseFormat }).unwrap(answerOf(200, answer), callOf('fairplay'));
  expect(license).toEqual(licenses.fairplay);
});

test('accepts PlayReady XML in JSON, too', () => {
  const answer = answerOf(200, { license: licenses.playready.toString() });
  expect(backendOf({ responseFormat: '$.license' }).unwrap(answer, callOf('playready'))).toEqual(licenses.playready);
});

test.each([
  ['base64', '***'],
  ['base64', encoded.slice(0, -3)],
  ['ckc-xml', encoded],
  ['ckc-xml', `<ckc>${encoded}`],
  ['ckc-xml', '<ckc></ckc>'],
  ['$.license', encoded],
  ['$.license', { license: 7 }],
  ['$.license', { license: null }],
  ['$.license.constructor', { license: {} }],
  ['$.__proto__', {}],
  ['$.license', '[]'],
  ['$.license', '{"license":'],
])('%s: anything else is license_backend_unavailable', async (responseFormat, answer) => {
  const problem = await problemOf(() =>
    backendOf({ responseFormat }).unwrap(answerOf(200, answer), callOf('fairplay')),
  );
  expect(problem.code).toBe('license_backend_unavailable');
});

for (const drmSystem of systems) refusalTests(backendOf({}), callOf(drmSystem));
for (const responseFormat of ['base64', 'ckc-xml', '$.license']) {
  describe(`as ${responseFormat}`, () => refusalTests(backendOf({ responseFormat }), callOf('fairplay')));
}
