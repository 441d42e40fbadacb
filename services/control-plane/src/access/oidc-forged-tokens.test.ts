import { createPublicKey, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  exportPKCS8,
  exportSPKI,
  generateKeyPair,
  importPKCS8,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { OidcIssuer, oidcAudience } from '../testing/oidc-issuer';
import { bearer, createTenant, type TestTenant } from '../testing/records';

// RFC 8725 lists these known attacks on JSON Web Tokens.

const issuer = new OidcIssuer();
let controlPlane: TestControlPlane;
let tenant: TestTenant;
/** The attacker's server, which serves keys at any URL. */
let forger: Server;
let own: { privateKey: CryptoKey; publicKey: CryptoKey };
/** Paths requested from the attacker's server. */
const asked: string[] = [];

beforeAll(async () => {
  await issuer.start();
  own = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'forged', alg: 'RS256', use: 'sig' };
  forger = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  });
  await once(forger.listen(0, '127.0.0.1'), 'listening');
  const first = await startControlPlane();
  tenant = await createTenant(first);
  const organizations = [{ organizationId: tenant.organizationId, maximumRole: 'admin' }];
  controlPlane = await startControlPlane({
    databaseUrl: first.databaseUrl,
    environment: { OIDC_ISSUERS: JSON.stringify([{ issuer: issuer.url, audience: oidcAudience, organizations }]) },
  });
});
afterAll(async () => {
  forger.close();
  await issuer.stop();
});

const seconds = () => Math.floor(controlPlane.clock.now.getTime() / 1000);
const claims = (changes: JWTPayload = {}): JWTPayload => ({
  sub: 'ada',
  organization_id: tenant.organizationId,
  role: 'admin',
  exp: seconds() + 300,
  ...changes,
});
const kid = () => issuer.keys[0]?.kid ?? '';
const issuersKey = () => issuer.keys[0]?.privateKey ?? own.privateKey;
const forgersUrl = (path: string) => `http://127.0.0.1:${(forger.address() as AddressInfo).port}/${path}`;

/** A token with a header of any kind. */
const signed = (header: JWTHeaderParameters, key: CryptoKey | Uint8Array, changes: JWTPayload = {}) =>
  new SignJWT(claims(changes))
    .setProtectedHeader(header)
    .setIssuer(issuer.url)
    .setAudience(oidcAudience)
    .sign(key, { crit: { unheard: true } });

const readProjects = (token: string) =>
  controlPlane.api.get(`/api/v1/management/organizations/${tenant.organizationId}/projects`).set(bearer(token));

/** The public key as text, which a library may take for an HMAC secret. */
const publicText = async () =>
  createPublicKey(await exportPKCS8(issuersKey()))
    .export({ type: 'spki', format: 'pem' })
    .toString();
const bytes = (text: string) => new TextEncoder().encode(text);

test('the same token signed by the issuer is accepted', async () => {
  await readProjects(await signed({ alg: 'RS256', kid: kid() }, issuersKey())).expect(200);
  await readProjects(await signed({ alg: 'RS256', kid: kid() }, issuersKey(), { nbf: seconds() })).expect(200);
});

test.each(['JWT', 'jwt', 'at+jwt', 'application/at+jwt'])('a token of the type %s is accepted', async (typ) => {
  await readProjects(await signed({ alg: 'RS256', kid: kid(), typ }, issuersKey())).expect(200);
});

test("a token that starts in at most five minutes is accepted, because the issuer's clock may be ahead", async () => {
  const token = (nbf: number) => signed({ alg: 'RS256', kid: kid() }, issuersKey(), { nbf });
  await readProjects(await token(seconds() + 300)).expect(200);
  const { body, headers } = await readProjects(await token(seconds() + 301)).expect(503);
  expect(body).toMatchObject({ code: 'service_unavailable', retryable: true });
  expect(headers['retry-after']).toBe('30');
});

test.each<[string, () => Promise<string>]>([
  [
    'the algorithm none',
    async () => new UnsecuredJWT(claims()).setIssuer(issuer.url).setAudience(oidcAudience).encode(),
  ],
  [
    'its signature removed',
    async () => (await signed({ alg: 'RS256', kid: kid() }, issuersKey())).replace(/[^.]*$/, ''),
  ],
  [
    'claims that were changed after signing',
    async () => {
      const [header, , signature] = (await signed({ alg: 'RS256', kid: kid() }, issuersKey())).split('.');
      const others = { ...claims({ sub: 'eve' }), iss: issuer.url, aud: oidcAudience };
      return [header, Buffer.from(JSON.stringify(others)).toString('base64url'), signature].join('.');
    },
  ],
  ['an HMAC with a public value as its secret', () => signed({ alg: 'HS256', kid: kid() }, bytes('x'.repeat(32)))],
  [
    "an HMAC with the issuer's public key as its secret",
    async () => signed({ alg: 'HS256', kid: kid() }, bytes(await publicText())),
  ],
  [
    "an HMAC with the attacker's public key as its secret",
    async () => signed({ alg: 'HS256', kid: kid() }, bytes(await exportSPKI(own.publicKey))),
  ],
  [
    "an algorithm that is not the key's",
    async () => signed({ alg: 'PS256', kid: kid() }, await importPKCS8(await exportPKCS8(issuersKey()), 'PS256')),
  ],
  ["another key under the issuer's key id", () => signed({ alg: 'RS256', kid: kid() }, own.privateKey)],
  ['another key and no key id', () => signed({ alg: 'RS256' }, own.privateKey)],
  ['another key and a key id that is a path', () => signed({ alg: 'RS256', kid: '../../forged' }, own.privateKey)],
  ['another key and a key id that is SQL', () => signed({ alg: 'RS256', kid: "' OR '1'='1" }, own.privateKey)],
  ['another key and a key id that is a URL', () => signed({ alg: 'RS256', kid: forgersUrl('kid') }, own.privateKey)],
  [
    'its own key in the header',
    async () => signed({ alg: 'RS256', kid: kid(), jwk: await exportJWK(own.publicKey) }, own.privateKey),
  ],
  [
    'the URL of its own keys in the header',
    () => signed({ alg: 'RS256', kid: 'forged', jku: forgersUrl('jku') }, own.privateKey),
  ],
  [
    'the URL of a certificate in the header',
    () => signed({ alg: 'RS256', kid: 'forged', x5u: forgersUrl('x5u') }, own.privateKey),
  ],
  ['a certificate in the header', () => signed({ alg: 'RS256', kid: kid(), x5c: ['AAAA'] }, own.privateKey)],
  [
    'an unknown critical extension',
    () => signed({ alg: 'RS256', kid: kid(), crit: ['unheard'], unheard: 1 }, issuersKey()),
  ],
  ['a start that is not a number', () => signed({ alg: 'RS256', kid: kid() }, issuersKey(), { nbf: '1' as never })],
  [
    'another key and a start in the future',
    () => signed({ alg: 'RS256', kid: kid() }, own.privateKey, { nbf: 2 ** 32 }),
  ],
  ['a subject that is an object', () => signed({ alg: 'RS256', kid: kid() }, issuersKey(), { sub: {} as never })],
  ['a subject that is a number', () => signed({ alg: 'RS256', kid: kid() }, issuersKey(), { sub: 1 as never })],
  ['a subject that is null', () => signed({ alg: 'RS256', kid: kid() }, issuersKey(), { sub: null as never })],
  ['an empty subject', () => signed({ alg: 'RS256', kid: kid() }, issuersKey(), { sub: '' })],
  ...['logout+jwt', 'application/logout+jwt', 'secevent+jwt', 'dpop+jwt', ''].map(
    (typ): [string, () => Promise<string>] => [
      `the type ${JSON.stringify(typ)}`,
      () => signed({ alg: 'RS256', kid: kid(), typ }, issuersKey()),
    ],
  ),
  [
    'the event of a logout and no type',
    () =>
      signed({ alg: 'RS256', kid: kid() }, issuersKey(), {
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      }),
  ],
  [
    'a key to whose holder it is bound',
    () => signed({ alg: 'RS256', kid: kid() }, issuersKey(), { cnf: { jkt: 'thumbprint' } }),
  ],
  [
    'an expiry that is not a number',
    () => signed({ alg: 'RS256', kid: kid() }, issuersKey(), { exp: '9999999999' as never }),
  ],
  [
    'the audience as a part of another one',
    () => issuer.token(claims(), { audience: `${oidcAudience}:${randomUUID()}` }),
  ],
  ['the issuer as a part of another one', () => issuer.token(claims(), { issuer: `${issuer.url}/${randomUUID()}` })],
])('a token with %s is rejected', async (_case, make) => {
  const { body } = await readProjects(await make()).expect(401);
  expect(body.code).toBe('authentication_required');
});

test('no address in a token is requested', () => {
  expect(asked).toEqual([]);
});
