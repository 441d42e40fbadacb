import type { RequestListener } from 'node:http';
import { Problem } from '@multi-drm/contracts';
import { AddressGuard, parseAllowList } from '@multi-drm/service-kit';
import { LicenseTransport } from './license-transport';
import { closeServers, licenseServer } from './testing/license-servers';

const owner = { environmentId: 'environment-1', drmSystem: 'widevine', httpAllowed: true } as const;
const neighbour = { ...owner, environmentId: 'environment-2' };

let time: number;
let transport: LicenseTransport;
/** Aborts all active requests, as their timeout would. */
let timeOut: () => void;

function create(resolve?: () => Promise<string[]>): void {
  time = 0;
  const timers = new Set<AbortController>();
  timeOut = () => {
    for (const timer of timers) timer.abort();
    timers.clear();
  };
  transport = new LicenseTransport({
    guard: new AddressGuard(parseAllowList('127.0.0.1').allowed),
    timeoutMilliseconds: 5_000,
    maximumConnections: 2,
    maximumWaiting: 3,
    failuresToOpen: 2,
    openMilliseconds: 1_000,
    maximumBackends: 3,
    now: () => time,
    startTimeout: () => {
      const timer = new AbortController();
      timers.add(timer);
      return timer.signal;
    },
    ...(resolve === undefined ? {} : { resolve }),
  });
}
beforeEach(() => {
  tokens = 0;
  create();
});
afterEach(async () => {
  transport.close();
  await closeServers();
});

/** Each request has its own token: `secret-1`, `secret-2` and so on. */
let tokens: number;
const send = (url: string, from: Parameters<LicenseTransport['send']>[0] = owner) =>
  transport.send(from, () => {
    tokens += 1;
    return { url, headers: { 'x-token': `secret-${tokens}` }, body: Buffer.from('challenge') };
  });

async function problemOf(sent: Promise<unknown>): Promise<Problem> {
  const problem = await sent.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (problem instanceof Problem) return problem;
  throw problem ?? new Error('there was a response');
}

const unavailable = { code: 'license_backend_unavailable', status: 502 };
const circuitOpen = { ...unavailable, detail: expect.stringContaining('failed repeatedly') };
const granted: RequestListener = (_request, response) => response.end('license');
/** Returns a URL with a closed port. */
async function deadUrl(): Promise<string> {
  const { url } = await licenseServer(granted);
  await closeServers();
  return url;
}

test('a request is a POST with its headers and body, and the response is returned whatever its status', async () => {
  const { url } = await licenseServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(403, { 'X-Said': `${request.method} ${request.headers['x-token']}` }).end(Buffer.concat(chunks));
  });
  expect(await send(url)).toMatchObject({
    status: 403,
    headers: { 'x-said': 'POST secret-1' },
    body: Buffer.from('challenge'),
  });
});

describe('without a response', () => {
  test('a timeout is a 504', async () => {
    const { url } = await licenseServer(() => timeOut());
    expect(await problemOf(send(url))).toMatchObject({ code: 'license_backend_unavailable', status: 504 });
  });

  test.each<[string, RequestListener]>([
    ['a reset', (request) => request.socket.resetAndDestroy()],
    ['10 MiB', (_request, response) => response.end(Buffer.alloc(10 * 1_048_576))],
    ['a truncated response', (request) => request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')],
    ['an unsupported coding', (_request, response) => response.setHeader('Content-Encoding', 'zstd').end('x')],
  ])('%s is a 502', async (_what, listener) => {
    const { url } = await licenseServer(listener);
    expect(await problemOf(send(url))).toMatchObject(unavailable);
  });

  test.each([
    ['a private address', 'https://10.0.0.1/'],
    ['a host that resolves to one', 'https://backend.example/'],
  ])('%s is refused without revealing addresses, and does not open the circuit', async (_what, url) => {
    create(async () => ['8.8.8.8', '10.0.0.1']);
    for (let n = 0; n < 4; n += 1) {
      const problem = await problemOf(send(url));
      expect(problem).toMatchObject({ code: 'license_backend_refused', status: 502 });
      expect(problem.detail).not.toMatch(/10\.0|8\.8|backend\.example/);
    }
  });

  test('plain http is refused unless the owner may use it', async () => {
    const { url } = await licenseServer(granted);
    const problem = await problemOf(send(url, { environmentId: 'environment-1', drmSystem: 'widevine' }));
    expect(problem).toMatchObject({ code: 'license_backend_refused' });
  });

  test('neither the problem nor its cause contains the URL, the address or a header', async () => {
    const problem = await problemOf(send(await deadUrl()));
    const { cause } = problem;
    expect(`${problem.detail} ${JSON.stringify(cause)} ${cause}`).not.toMatch(/127\.0|secret|http:/);
    expect(cause).toMatchObject({ reason: 'ECONNREFUSED' });
    expect(problem.detail).toBe(
      'The license server could not be reached; try again, and if this persists, check the URL.',
    );
  });
});

describe('a second attempt', () => {
  /**
   * Answers the first request on each connection with its token and `Connection`, and resets the connection at its
   * second request.
   */
  async function closesIdle() {
    const seen = new WeakSet<object>();
    let calls = 0;
    const server = await licenseServer(({ socket, headers }, response) => {
      calls += 1;
      if (seen.has(socket)) return socket.resetAndDestroy();
      seen.add(socket);
      return response.end(`${headers['x-token']} ${headers.connection}`);
    });
    return { ...server, calls: () => calls };
  }

  test('is made if a kept connection turns out to be closed, with a new connection and a new token', async () => {
    const { url, calls } = await closesIdle();
    await Promise.all([send(url), send(url)]); // leaves two idle connections
    // A new connection, since the other kept one is closed as well.
    expect(await send(url)).toMatchObject({ status: 200, body: Buffer.from('secret-4 close') });
    expect([calls(), tokens]).toEqual([4, 4]);
  });

  test('does not use another kept connection, even if all connections are in use', async () => {
    const { url } = await closesIdle();
    await Promise.all([send(url), send(url)]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(url)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  test('is made only once', async () => {
    const { url } = await licenseServer(({ socket }, response) => {
      if (tokens === 1) response.end('license');
      else socket.resetAndDestroy();
    });
    await send(url);
    expect(await problemOf(send(url))).toMatchObject(unavailable);
    expect(tokens).toBe(3);
  });

  test.each<[string, RequestListener]>([
    ['a new connection breaks, because the server may have acted', (request) => request.socket.resetAndDestroy()],
    ['a response is truncated in its header', ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
    ['a response is truncated', (request) => request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc')],
    ['the request times out', () => timeOut()],
    ['the server reports that it is down', (_request, response) => response.writeHead(503).end()],
  ])('is not made if %s', async (_why, listener) => {
    const { url } = await licenseServer(listener);
    await send(url).catch(() => undefined);
    expect(tokens).toBe(1);
  });

  test('is not made if a response on a kept connection is truncated in its header', async () => {
    const { url } = await licenseServer(({ socket }, response) => {
      if (tokens === 1) response.end('license');
      else socket.end('HTTP/1.1 200 OK\r\nContent-');
    });
    await send(url);
    expect(await problemOf(send(url))).toMatchObject(unavailable);
    expect(tokens).toBe(2);
  });

  test('is made if nothing was sent', async () => {
    const { url } = await licenseServer(granted);
    let asked = 0;
    create(async () => {
      asked += 1;
      if (asked === 1) throw Object.assign(new Error('for now'), { code: 'EAI_AGAIN' });
      return ['127.0.0.1'];
    });
    expect(await send(url.replace('127.0.0.1', 'backend.example'))).toMatchObject({ status: 200 });
  });
});

describe('a hanging backend', () => {
  test('has two connections and three waiting requests; the next one fails at once, and other backends are not affected', async () => {
    const reached: (() => void)[] = [];
    const bothReached = new Promise<void>((resolve) => reached.push(() => undefined, resolve));
    const { url, connections } = await licenseServer(() => reached.shift()?.());
    const { url: other } = await licenseServer(granted);
    const waiting = Array.from({ length: 5 }, () => problemOf(send(url)));
    expect(await problemOf(send(url))).toMatchObject({ ...unavailable, headers: { 'Retry-After': '1' } });
    await bothReached;
    expect(connections.size).toBe(2);
    expect(await send(other, neighbour)).toMatchObject({ status: 200 });
    expect(await send(other, { ...owner, drmSystem: 'playready' })).toMatchObject({ status: 200 });
    timeOut();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([504, 504, 504, 504, 504]);
  });
});

test('requests that were waiting when the circuit opened are not sent', async () => {
  const { url } = await licenseServer((_request, response) => response.writeHead(503).end());
  const sent = Array.from({ length: 5 }, () => send(url));
  const late = sent.slice(3).map(problemOf);
  await Promise.allSettled(sent);
  for (const problem of late) expect(await problem).toMatchObject(circuitOpen);
});

describe('a backend that failed twice in a row', () => {
  let status: number;
  let calls: number;
  let url: string;
  beforeEach(async () => {
    status = 503;
    calls = 0;
    ({ url } = await licenseServer((_request, response) => {
      calls += 1;
      response.writeHead(status).end();
    }));
    await send(url);
    await send(url);
  });

  test('is paused, and the problem says how long', async () => {
    expect(await problemOf(send(url))).toMatchObject({ ...circuitOpen, headers: { 'Retry-After': '1' } });
    expect(calls).toBe(2);
  });

  test('is probed once after a while, and used again when it is back', async () => {
    status = 200;
    time = 1_000;
    const outcomes = await Promise.allSettled([send(url), send(url), send(url)]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(calls).toBe(3);
    await Promise.all([send(url), send(url)]);
    expect(calls).toBe(5);
  });

  test('is paused again when its probe fails', async () => {
    time = 1_000;
    expect(await send(url)).toMatchObject({ status: 503 });
    expect(await problemOf(send(url))).toMatchObject(circuitOpen);
    expect(calls).toBe(3);
  });

  test('can be used by another environment, and for another DRM system', async () => {
    expect(await send(url, neighbour)).toMatchObject({ status: 503 });
    expect(await send(url, { ...owner, drmSystem: 'playready' })).toMatchObject({ status: 503 });
    expect(await problemOf(send(url))).toMatchObject(circuitOpen);
  });

  test('starts with a new state for another URL', async () => {
    expect(await send(`${url}?specConform=true`)).toMatchObject({ status: 503 });
    expect(calls).toBe(3);
  });

  test('is forgotten once more backends than the maximum have been used since', async () => {
    for (const environmentId of ['a', 'b']) await send(url, { ...owner, environmentId });
    expect(await problemOf(send(url))).toMatchObject(circuitOpen);
    for (const environmentId of ['c', 'd', 'e']) await send(url, { ...owner, environmentId });
    expect(await send(url)).toMatchObject({ status: 503 });
  });
});

test('a server that refuses, even with a 500, is not down', async () => {
  const { url } = await licenseServer((_request, response) => response.writeHead(500).end());
  for (let n = 0; n < 5; n += 1) expect(await send(url)).toMatchObject({ status: 500 });
});
