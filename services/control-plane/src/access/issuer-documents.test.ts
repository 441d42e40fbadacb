import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { startControlPlane, type TestControlPlane } from '../testing/control-plane';
import { bearer, createTenant, type TestTenant } from '../testing/records';

const audience = 'urn:control-plane';
const closers: (() => void)[] = [];
let controlPlane: TestControlPlane;
let tenant: TestTenant;
let key: CryptoKey;
let keys: string;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  tenant = await createTenant(controlPlane);
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  key = privateKey;
  keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] });
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server on loopback that records the requested paths. */
async function serve(listener: RequestListener): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

/** An issuer that publishes where its keys are, by default at itself; `answerKeys` answers every path but discovery. */
async function startIssuer(
  answerKeys: RequestListener = (_request, response) => response.end(keys),
  jwksUri?: (port: number) => string,
): Promise<{ url: string; asked: string[] }> {
  const server = await serve((request, response) => {
    if (request.url !== '/.well-known/openid-configuration') return answerKeys(request, response);
    const keysUrl = jwksUri?.(server.port) ?? `http://idp.example.com:${server.port}/keys`;
    response.end(JSON.stringify({ issuer: `http://idp.example.com:${server.port}`, jwks_uri: keysUrl }));
  });
  return { url: `http://idp.example.com:${server.port}`, asked: server.asked };
}

/** Signs in with a token of this issuer; every host resolves to loopback. */
async function signIn(issuer: string, allowedHosts: string) {
  const trusting = await startControlPlane({
    databaseUrl: controlPlane.databaseUrl,
    resolve: async () => ['127.0.0.1'],
    environment: {
      OUTBOUND_ALLOWED_HOSTS: allowedHosts,
      OIDC_ISSUERS: JSON.stringify([
        { issuer, audience, organizations: [{ organizationId: tenant.organizationId, maximumRole: 'admin' }] },
      ]),
    },
  });
  const token = await new SignJWT({ sub: 'ada', organization_id: tenant.organizationId, role: 'viewer' })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime(Math.floor(trusting.clock.now.getTime() / 1000) + 300)
    .sign(key);
  const path = `/api/v1/management/organizations/${tenant.organizationId}/projects`;
  return trusting.api.get(path).set(bearer(token));
}

test('an issuer at a private address is read only if the operator allows its host', async () => {
  const issuer = await startIssuer();
  expect((await signIn(issuer.url, '')).status).toBe(503);
  expect(issuer.asked).toEqual([]);
  expect((await signIn(issuer.url, 'idp.example.com')).status).toBe(200);
  expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
});

test('keys at a private address are not read just because their issuer is allowed', async () => {
  const issuer = await startIssuer(undefined, (port) => `http://inside.example.com:${port}/keys`);
  expect((await signIn(issuer.url, 'idp.example.com')).status).toBe(503);
  expect(issuer.asked).toEqual(['/.well-known/openid-configuration']);
  expect((await signIn(issuer.url, 'idp.example.com, inside.example.com')).status).toBe(200);
});

test('a discovery document that names another issuer is not believed', async () => {
  const issuer = await startIssuer();
  const other = issuer.url.replace('idp.', 'other.');
  expect((await signIn(other, 'idp.example.com, other.example.com')).status).toBe(503);
  expect(issuer.asked).toEqual(['/.well-known/openid-configuration']);
});

test('a redirect of the keys is not followed', async () => {
  const target = await serve((_request, response) => response.end(keys));
  const issuer = await startIssuer((_request, response) =>
    response.writeHead(302, { Location: `http://idp.example.com:${target.port}/keys` }).end(),
  );
  expect((await signIn(issuer.url, 'idp.example.com')).status).toBe(503);
  expect(target.asked).toEqual([]);
});

test('a redirect of the discovery document is not followed', async () => {
  const issuer = await startIssuer();
  const { port } = await serve((request, response) =>
    response.writeHead(307, { Location: `${issuer.url}${request.url}` }).end(),
  );
  expect((await signIn(`http://idp.example.com:${port}`, 'idp.example.com')).status).toBe(503);
  expect(issuer.asked).toEqual([]);
});

test('an excessively large key set is not read to its end', async () => {
  const issuer = await startIssuer((_request, response) => response.end(keys + ' '.repeat(300_000)));
  expect((await signIn(issuer.url, 'idp.example.com')).status).toBe(503);
});

test('an issuer that never answers times out', async () => {
  const issuer = await startIssuer(() => undefined);
  expect((await signIn(issuer.url, 'idp.example.com')).status).toBe(503);
});
