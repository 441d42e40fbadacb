import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressGuard, parseAllowList, type ResolveHost } from '@multi-drm/service-kit';
import { signatureHeaders } from './signature';
import { WebhookSender } from './webhook-sender';

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
const message = { id: 'event-1', body: Buffer.from('{"type":"session.started"}') };
const now = Date.parse('2026-03-01T10:00:00.700Z');

let listener: RequestListener;
let url: string;
const server = createServer((request, response) => listener(request, response));
let timeOut: () => void;
const senders: WebhookSender[] = [];

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
});
afterEach(() => {
  for (const sender of senders.splice(0)) sender.close();
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function createSender({ allowed = '127.0.0.1', resolve = (async () => ['127.0.0.1']) as ResolveHost } = {}) {
  const sender = new WebhookSender({
    guard: new AddressGuard(parseAllowList(allowed).allowed),
    now: () => now,
    monotonicNow: () => performance.now(),
    resolve,
    startTimeout: (milliseconds) => {
      const timer = new AbortController();
      timeOut = () => timer.abort(milliseconds);
      return timer.signal;
    },
  });
  senders.push(sender);
  return sender;
}

const send = (sender = createSender(), to = url) =>
  sender.send({ url: to, secrets: [secret], headers: { 'x-tenant': 'academy', 'webhook-id': 'forged' } }, message);

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('a message is a POST of exactly the signed bytes, with the customer’s headers, which replace none of ours', async () => {
  const received: { request: IncomingMessage; body: Buffer }[] = [];
  listener = async (request, response) => {
    received.push({ request, body: await bodyOf(request) });
    response.writeHead(204).end();
  };
  expect(await send()).toMatchObject({ succeeded: true, status: 204, error: null, answer: null });
  const [{ request, body } = {}] = received;
  expect(request?.method).toBe('POST');
  expect(body).toEqual(message.body);
  expect(request?.headers).toMatchObject({
    ...signatureHeaders({ ...message, timestamp: Math.floor(now / 1000) }, [secret]),
    'content-type': 'application/json',
    'x-tenant': 'academy',
  });
});

test.each<[string, (response: ServerResponse) => void, object]>([
  [
    'a status that is not 2xx',
    (response) => response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '60' }).end('not now'),
    { status: 503, answer: 'not now', retryAfter: '60', error: null },
  ],
  ['a redirect', (response) => response.writeHead(307, { location: url }).end(), { status: 307 }],
  ['no answer in time', () => timeOut(), { status: null, error: 'timed_out' }],
  [
    'an answer that does not end in time',
    (response) => {
      response.writeHead(200).write('{');
      setImmediate(() => timeOut());
    },
    { status: null, error: 'timed_out' },
  ],
  ['more than 64 KiB', (response) => response.end(Buffer.alloc(65_537)), { status: null, error: 'answer_too_large' }],
  ['a reset', (response) => response.socket?.resetAndDestroy(), { status: null, error: 'unreachable' }],
])('%s is a failure', async (_what, answer, expected) => {
  let requests = 0;
  listener = (_request, response) => {
    requests += 1;
    answer(response);
  };
  expect(await send()).toMatchObject({ succeeded: false, ...expected });
  expect(requests).toBe(1);
});

test('the address is checked when the message is sent, and not only when the endpoint is registered', async () => {
  let addresses = ['8.8.8.8'];
  const resolved: string[] = [];
  const sender = createSender({
    allowed: '',
    resolve: async (host) => {
      resolved.push(host);
      return addresses;
    },
  });
  addresses = ['10.0.0.1'];
  expect(await send(sender, 'https://hooks.example/')).toMatchObject({ succeeded: false, error: 'address_refused' });
  expect(resolved).toEqual(['hooks.example']);
});

test('plain http is for hosts that the operator lists', async () => {
  listener = (_request, response) => response.end();
  const toName = url.replace('127.0.0.1', 'hooks.example');
  expect(await send(createSender(), toName)).toMatchObject({ error: 'address_refused' });
  expect(await send(createSender({ allowed: 'hooks.example' }), toName)).toMatchObject({ succeeded: true });
});

test('a kept connection that the receiver has closed meanwhile is no failure', async () => {
  listener = (_request, response) => response.end();
  const sender = createSender();
  await send(sender);
  const first = once(server, 'request');
  const sockets: IncomingMessage['socket'][] = [];
  listener = (request, response) => {
    sockets.push(request.socket);
    // As a server does that closes an idle connection while the request is on its way.
    if (sockets.length === 1) request.socket.destroy();
    else response.end();
  };
  const attempt = send(sender);
  await first;
  expect(await attempt).toMatchObject({ succeeded: true });
  expect(new Set(sockets).size).toBe(2);
});
