import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Playback, type Session, sessionRequest, startPlayback } from './testing/playback';
import { makeTenant, type PublishedTenant } from './testing/published-tenant';

let playback: Playback;
let tenant: PublishedTenant;
let server: Server;

beforeAll(async () => {
  playback = await startPlayback();
  server = createServer(playback.app).listen(0, '127.0.0.1');
  tenant = makeTenant();
  await playback.publish(tenant);
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** Sends a request with its path as it is, which other clients would normalize. */
function send({ method, path, headers, body }: Sent) {
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

/** The answer to a request, without what differs between two answers. */
async function answerTo(sent: Sent) {
  const { status, headers, body } = await send(sent);
  const { date, 'x-request-id': requestId, 'content-length': length, ...others } = headers;
  return {
    status,
    headers: { ...others, date: typeof date, requestId: typeof requestId, length: typeof length },
    text: withoutOwn(body),
  };
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
  renew: async () => playerRequest(await start(), 'renew'),
  release: async () => playerRequest(await start(), 'release'),
  license: async () => playerRequest(await start(), 'license'),
  certificate: async () => ({
    method: 'GET',
    path: sessions().replace('sessions', 'certificates/fairplay'),
    headers: {},
  }),
  list: async () => ({ method: 'GET', path: sessions(), headers: credentials() }),
};

function playerRequest({ release, drm }: Session, route: 'renew' | 'release' | 'license'): Sent {
  const target = route === 'license' ? drm.licenseServerUrl : release.url.replace(/release$/, route);
  const headers = { Authorization: `Bearer ${drm.drmLicenseToken}` };
  const { pathname: path } = new URL(target);
  if (route !== 'license') return { method: 'POST', path, headers };
  const body = Buffer.from([8, 4]);
  return { method: 'POST', path, headers: { ...headers, 'Content-Type': 'application/octet-stream' }, body };
}

// RFC 9112, section 3.2.2.
test.each(Object.entries(valid))('%s with a target in absolute form is served like its path', async (_name, make) => {
  const absoluteForm = (path: string) => `HTTP://playback.example.com:8081${path}`;
  const fromPage = ({ headers, ...sent }: Sent) => ({
    ...sent,
    headers: { ...headers, Origin: 'https://site.example.com' },
  });
  const plain = fromPage(await make());
  const { path, ...other } = fromPage(await make());
  expect(await answerTo({ ...other, path: absoluteForm(path) })).toEqual(await answerTo(plain));
});
