import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { oidcAudience } from '../testing/oidc-issuer';
import { bearer, createTenant, type TestTenant } from '../testing/records';

const minute = 60_000;

/** The issuer: how it answers, and what it was asked. */
let answer: RequestListener;
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  answer(request, response);
});

let issuer: string;
let database: TestControlPlane;
let tenant: TestTenant;
let controlPlane: TestControlPlane;
let keys: { privateKey: CryptoKey; publicKey: CryptoKey }[];

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  database = await startControlPlane();
  tenant = await createTenant(database);
  keys = await Promise.all(Array.from({ length: 9 }, () => generateKeyPair('RS256', { extractable: true })));
});
beforeEach(async () => {
  controlPlane = await startControlPlane({
    databaseUrl: database.databaseUrl,
    environment: {
      TRUSTED_PROXIES: 'loopback',
      UNAUTHENTICATED_REQUESTS_PER_MINUTE: '6',
      REFUSED_REQUESTS_PER_CREDENTIAL_PER_MINUTE: '4',
      OIDC_ISSUERS: JSON.stringify([
        {
          issuer,
          audience: oidcAudience,
          organizations: [{ organizationId: tenant.organizationId, maximumRole: 'admin' }],
        },
      ]),
    },
  });
  asked.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Publishes keys, by default the first with the id `one`. */
async function publishes(members: Partial<JWK>[] = [{ kid: 'one' }], others: unknown[] = []): Promise<void> {
  const publics = await Promise.all(keys.slice(0, members.length).map(({ publicKey }) => exportJWK(publicKey)));
  const set = { keys: [...others, ...publics.map((key, index) => ({ ...key, ...members[index] }))] };
  answer = ({ url }, response) =>
    void response.end(JSON.stringify(url === '/keys' ? set : { issuer, jwks_uri: `${issuer}/keys` }));
}
const fails: RequestListener = (_request, response) => void response.writeHead(500).end();

const seconds = () => Math.floor(controlPlane.clock.now.getTime() / 1000);
const claims = (changes: JWTPayload = {}): JWTPayload => ({
  iss: issuer,
  aud: oidcAudience,
  sub: 'ada',
  organization_id: tenant.organizationId,
  role: 'admin',
  exp: seconds() + 86_400 * 2,
  ...changes,
});
/** A token of the issuer, signed with the key of this index. `kid`: null for none. */
function token(key = 0, kid: string | null = 'one', changes: JWTPayload = {}): Promise<string> {
  const header = { alg: 'RS256', ...(kid === null ? {} : { kid }) };
  const { privateKey } = keys[key] ?? {};
  if (privateKey === undefined) throw new Error(`there is no key ${key}`);
  return new SignJWT(claims(changes)).setProtectedHeader(header).sign(privateKey);
}
const withoutId = (key: number) => token(key, null);
const get = (credential: string, address = '198.51.100.1') =>
  controlPlane.api
    .get(`/api/v1/management/organizations/${tenant.organizationId}/projects`)
    .set({ ...bearer(credential), 'X-Forwarded-For': address });

describe('an issuer that fails', () => {
  beforeEach(() => {
    answer = fails;
  });

  test('is asked once for all calls of a pause, and each is told when it ends', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, (_, index) => token(1, `made-up-${index}`)));
    for (const [index, each] of made.entries()) {
      const { headers } = await get(each, `198.51.100.${index}`).expect(503);
      expect(headers['retry-after']).toBe('5');
    }
    expect(asked).toEqual(['/.well-known/openid-configuration']);
    controlPlane.clock.monotonic += 5_000;
    const { headers } = await get(await token()).expect(503);
    expect(headers['retry-after']).toBe('10');
    expect(asked).toHaveLength(2);
  });

  test('with its keys is asked as rarely as with its discovery document', async () => {
    answer = (request, response) =>
      request.url === '/keys'
        ? response.destroy()
        : void response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
    for (let call = 0; call < 3; call += 1) await get(await token()).expect(503);
    expect(asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  test.each<[string, () => string | Promise<string>]>([
    ['no signature', () => new UnsecuredJWT(claims()).encode()],
    ['a symmetric algorithm', () => new SignJWT(claims()).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32))],
    ['another audience', () => token(0, 'one', { aud: 'urn:another-service' })],
    ['no audience', () => token(0, 'one', { aud: [] })],
    ['an expiry in the past', () => token(0, 'one', { exp: seconds() - 31 })],
    ['an expiry that is not a number', () => token(0, 'one', { exp: '9999999999' as never })],
  ])('is not asked because of a token with %s', async (_case, make) => {
    await get(await make()).expect(401);
    expect(asked).toEqual([]);
  });

  test('has tokens that were not valid before count against their address, and no others', async () => {
    await publishes();
    const [valid, unknown] = [await token(), await token(0, 'one', { sub: 'grace' })];
    await get(valid).expect(200);
    await get(tenant.key).expect(200);
    answer = fails;
    controlPlane.clock.monotonic += 24 * 60 * minute;
    const statuses: number[] = [];
    for (let call = 0; call < 8; call += 1) statuses.push((await get(await token(1, `made-up-${call}`))).status);
    expect(statuses).toEqual([503, 503, 503, 503, 503, 503, 429, 429]);
    await get(unknown).expect(429);
    await get(unknown, '198.51.100.2').expect(503);
    await get(valid).expect(503);
    await get(tenant.key).expect(200);
  });

  test('has its keys used for a day', async () => {
    await publishes();
    await get(await token()).expect(200);
    answer = fails;
    controlPlane.clock.monotonic += 24 * 60 * minute - 1;
    await get(await token(0, 'one', { sub: 'grace' })).expect(200);
    await get(await token(1)).expect(401);
    await get(await token(1, 'two')).expect(503);
  });
});

test('a token without a key id is verified with each key that fits', async () => {
  await publishes([{}, { kid: 'named' }]);
  await get(await withoutId(0)).expect(200);
  await get(await withoutId(1)).expect(200);
  await get(await withoutId(2)).expect(401);
});

test('a token whose key id two keys have is verified with both', async () => {
  await publishes([{ kid: 'one' }, { kid: 'one' }]);
  await get(await token(0)).expect(200);
  await get(await token(1)).expect(200);
  await get(await token(2)).expect(401);
});

test('a token is verified with eight keys at most', async () => {
  await publishes(Array.from({ length: 9 }, () => ({})));
  await get(await withoutId(7)).expect(200);
  await get(await withoutId(8)).expect(401);
});

test('claims are checked whichever key has signed them', async () => {
  await publishes([{}, {}]);
  await get(await token(1, null, { role: 'owner' })).expect(401);
  await get(await token(1, null, { nbf: seconds() + 400 })).expect(503);
});

test('keys that cannot be used, and what is no key, do not hinder the others', async () => {
  const weak = { kty: 'RSA', n: Buffer.alloc(128, 255).toString('base64url'), e: 'AQAB' };
  await publishes([{}], [weak, { kty: 'RSA', n: '', e: '' }, { kty: 'unheard-of' }, 'no key', null, { kid: 'one' }]);
  await get(await withoutId(0)).expect(200);
});

test('a token whose only key cannot be used is rejected', async () => {
  await publishes([], [{ kty: 'RSA', n: Buffer.alloc(128, 255).toString('base64url'), e: 'AQAB', kid: 'one' }]);
  await get(await token()).expect(401);
  expect(controlPlane.log.map(({ message }) => message)).toContain(
    'a token was rejected because of a key of its issuer',
  );
});

test('a new key without an id is found after a rotation', async () => {
  await publishes([{}]);
  await get(await withoutId(0)).expect(200);
  await publishes([{}, {}]);
  controlPlane.clock.monotonic += 5_000;
  await get(await withoutId(1)).expect(200);
});
