import { randomUUID } from 'node:crypto';
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Playback, type Session, sessionRequest, startPlayback } from './testing/playback';
import { makeTenant, type PublishedTenant } from './testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;
let servers: { direct: Server; express: Server };

const listen = (listener: RequestListener) => createServer(listener).listen(0, '127.0.0.1');

beforeAll(async () => {
  // As in production. The validation of responses would answer an unlisted problem otherwise.
  playback = await startPlayback({ validateResponses: false });
  servers = { direct: listen(playback.app), express: listen(playback.express) };
  tenant = makeTenant();
  await playback.publish(tenant);
});

afterAll(async () => {
  for (const server of Object.values(servers)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** Sends a request with its path as it is, which other clients would normalize. */
function send(server: Server, { method, path, headers, body }: Sent) {
  const { port } = server.address() as AddressInfo;
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const all = body === undefined ? headers : { ...headers, 'Content-Length': Buffer.byteLength(body) };
      const request = httpRequest({ port, method, path, headers: all, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      request.on('error', reject).end(body);
    },
  );
}

/** Replaces what differs between two answers to the same request: ids, tokens and times. */
function withoutOwn(text: string): string {
  return text
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '(token)')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '(id)')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '(time)');
}

/** The answers to a request that is sent both ways; `make` is called for each, because most can be sent only once. */
async function bothAnswers(make: () => Promise<Sent>): Promise<{ status: number | undefined }[]> {
  const answers = [];
  for (const server of [servers.direct, servers.express]) {
    const sent = await make();
    const { status, headers, body } = await send(server, sent);
    const { date, 'x-request-id': requestId, 'content-length': length, ...others } = headers;
    const isOfBody = sent.method === 'HEAD' || length === undefined || Number(length) === Buffer.byteLength(body);
    answers.push({
      status,
      headers: { ...others, date: typeof date, requestId: typeof requestId, isOfBody },
      text: withoutOwn(body),
    });
  }
  return answers;
}

const credentials = () => ({
  'X-SERVICE-Client-Id': tenant.client.clientId,
  'X-SERVICE-Client-Secret': tenant.accessKey,
});
const json = { 'Content-Type': 'application/json' };
const sessions = () => `/api/v1/playback/environments/${tenant.environment.environmentId}/sessions`;
const start = async (): Promise<Session> => (await playback.create(tenant, sessionRequest())).body;

/** A valid request of each route. */
const valid: Record<string, () => Promise<Sent>> = {
  create: async () => ({
    method: 'POST',
    path: sessions(),
    headers: { ...credentials(), ...json },
    body: JSON.stringify(sessionRequest()),
  }),
  evaluate: async () => ({
    method: 'POST',
    path: `${sessions()}/evaluations`,
    headers: { ...credentials(), ...json },
    body: JSON.stringify(sessionRequest({ subject: 'viewer' })),
  }),
  renew: async () => ofPlayer(await start(), 'renew'),
  release: async () => ofPlayer(await start(), 'release'),
  license: async () => ofPlayer(await start(), 'license'),
  certificate: async () => ({
    method: 'GET',
    path: sessions().replace('sessions', 'certificates/fairplay'),
    headers: {},
  }),
  list: async () => ({ method: 'GET', path: sessions(), headers: credentials() }),
};

function ofPlayer({ release, drm }: Session, route: 'renew' | 'release' | 'license'): Sent {
  const target = route === 'license' ? drm.licenseServerUrl : release.url.replace(/release$/, route);
  const headers = { Authorization: `Bearer ${drm.drmLicenseToken}` };
  const { pathname: path } = new URL(target);
  if (route !== 'license') return { method: 'POST', path, headers };
  const body = Buffer.from([8, 4]);
  return { method: 'POST', path, headers: { ...headers, 'Content-Type': 'application/octet-stream' }, body };
}

type Change = [name: string, change: (sent: Sent) => Sent];
const withHeaders = (headers: Record<string, string>) => (sent: Sent) => ({
  ...sent,
  headers: { ...sent.headers, ...headers },
});
const withBody =
  (body: string | Buffer, headers = {}) =>
  (sent: Sent) => ({ ...withHeaders(headers)(sent), body });
const withPath = (change: (path: string) => string) => (sent: Sent) => ({ ...sent, path: change(sent.path) });
const withMethod = (method: string) => (sent: Sent) => ({ ...sent, method });

const changes: Change[] = [
  ['as it is', (sent) => sent],
  ['with an origin', withHeaders({ Origin: 'https://site.example.com' })],
  ['with a request id', withHeaders({ 'X-Request-Id': 'request-0001' })],
  ['over TLS', withHeaders({ 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.9' })],
  ['without credentials', (sent) => ({ ...sent, headers: json })],
  [
    'with a wrong token',
    (sent) => ({ ...sent, headers: { ...json, Authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.AAAA' } }),
  ],
  ['with an empty body', withBody('', json)],
  ['with {}', withBody('{}', json)],
  ['with null members', withBody('{"subject":null,"reason":null}', json)],
  ['with invalid JSON', withBody('{"subject":', json)],
  ['with a member twice', withBody('{"subject":"a","subject":"b"}', json)],
  ['with __proto__', withBody('{"__proto__":{"a":1}}', json)],
  ['with an inexact number', withBody('{"reporting":{"a":12345678901234567890}}', json)],
  ['with a nested body', withBody(`${'['.repeat(40)}${']'.repeat(40)}`, json)],
  ['with a wrong type', withBody('{"subject":1,"contentId":[],"contentType":"film"}', json)],
  ['with an unknown member', withBody('{"subject":"a","colour":"red"}', json)],
  ['with invalid UTF-8', withBody(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), json)],
  ['with another charset', withBody('{}', { 'Content-Type': 'application/json; charset=latin1' })],
  ['as text', withBody('{}', { 'Content-Type': 'text/plain' })],
  ['without a content type', withBody('{"subject":"a"}', { 'Content-Type': '' })],
  ['with a large body', withBody(JSON.stringify({ subject: 'a'.repeat(70_000) }), json)],
  ['with a body that is not compressed', withBody('{}', { ...json, 'Content-Encoding': 'gzip' })],
  ['with an unknown coding', withBody('{}', { ...json, 'Content-Encoding': 'zstd' })],
  ['with an invalid idempotency key', withHeaders({ 'Idempotency-Key': ' ' })],
  ['with a query', withPath((path) => `${path}?limit=1`)],
  ['with an unknown query', withPath((path) => `${path}?colour=red`)],
  ['with an empty query', withPath((path) => `${path}?`)],
  ['with a trailing slash', withPath((path) => `${path}/`)],
  ['in upper case', withPath((path) => path.replace('/api/v1/playback', '/API/v1/Playback'))],
  [
    'with an upper-case id',
    withPath((path) =>
      path.replace(/environments\/[^/]+/, (part) => part.replace(/[a-f]/g, (letter) => letter.toUpperCase())),
    ),
  ],
  [
    'with an encoded letter',
    withPath((path) => path.replace('sessions', '%73essions').replace('licenses', '%6Cicenses')),
  ],
  ['with an encoded slash', withPath((path) => path.replace(/\/([^/]+)$/, '%2F$1'))],
  ['with a broken encoding', withPath((path) => `${path}%ZZ`)],
  ['with two slashes', withPath((path) => path.replace('/playback', '//playback'))],
  ['with dots', withPath((path) => path.replace('/playback', '/./playback'))],
  ['with a fragment', withPath((path) => `${path}#part`)],
  ['with an absolute target', withPath((path) => `http://playback.example.com${path}`)],
  ['of another environment', withPath((path) => path.replace(/environments\/[^/]+/, `environments/${randomUUID()}`))],
  ['with an id that is no UUID', withPath((path) => path.replace(/environments\/[^/]+/, 'environments/none'))],
  ['of another session or system', withPath((path) => path.replace(/(sessions|licenses)\/[^/]+/, '$1/other'))],
  ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'POST'].map(
    (method): Change => [`with ${method}`, withMethod(method)],
  ),
];

test.each(Object.keys(valid))('%s is answered alike directly and through Express', async (name) => {
  const statuses: (number | undefined)[] = [];
  for (const [how, change] of changes) {
    const [direct, express] = await bothAnswers(async () => change((await valid[name]?.()) ?? fail()));
    expect({ how, ...direct }).toEqual({ how, ...express });
    statuses.push(direct?.status);
  }
  // The requests differ enough to be told apart.
  expect(new Set(statuses).size).toBeGreaterThan(2);
});

// RFC 9112, section 3.2.2.
test.each(Object.keys(valid))('%s with a target in absolute form is served like its path', async (name) => {
  const origin = withHeaders({ Origin: 'https://site.example.com' });
  const absolute = withPath((path) => `HTTP://playback.example.com:8081${path}`);
  const [plain] = await bothAnswers(async () => origin((await valid[name]?.()) ?? fail()));
  const answers = await bothAnswers(async () => absolute(origin((await valid[name]?.()) ?? fail())));
  for (const answer of answers) expect(answer).toEqual(plain);
});

function fail(): never {
  throw new Error('there is no such request');
}
