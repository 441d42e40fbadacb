import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { sendBytes } from '../testing/send-bytes';
import { answerClientError } from './client-error';

let server: Server;
/** Waits only 50 ms for headers, and 100 ms for a body. */
let impatient: Server;

beforeAll(async () => {
  const bounds = { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 10 };
  impatient = createServer(bounds);
  server = createServer((request, response) => response.end(`reached ${request.url}`));
  for (const each of [server, impatient]) {
    each.on('clientError', answerClientError({ members: { contractVersion: 1 }, linger: 50 }));
    await once(each.listen(0, '127.0.0.1'), 'listening');
  }
});
afterAll(() => {
  server.close();
  impatient.close();
});

test.each([
  [
    'headers that are too large',
    `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`,
    413,
    'request_too_large',
  ],
  ['a malformed request line', 'this is not HTTP\r\n\r\n', 400, 'invalid_request'],
])('%s are answered with a problem', async (_case, bytes, status, code) => {
  const { head, body } = partsOf(await sendBytes(server, bytes));
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toContain('Content-Type: application/problem+json\r\n');
  expect(body).toMatchObject({ status, code, retryable: false, contractVersion: 1 });
});

test.each([
  ['nothing at all', ''],
  ['headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['a body that never ends', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{'],
])('%s did not arrive in time', async (_case, bytes) => {
  const { head, body } = partsOf(await sendBytes(impatient, bytes));
  expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(head).toMatch(/^Retry-After: 1\r$/m);
  expect(head).toMatch(/^Connection: close\r$/m);
  expect(body).toMatchObject({ status: 408, code: 'request_timeout', retryable: true, contractVersion: 1 });
});

test('a caller that never closes its side is disconnected', async () => {
  const accepted = once(impatient, 'connection');
  const { port } = impatient.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
  const [served] = await accepted;
  await Promise.all([once(socket, 'end'), once(served, 'close')]);
  socket.destroy();
});

function partsOf(answer: string): { head: string; body: unknown } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { head: `${head}\r\n`, body: JSON.parse(body) };
}

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
const post = (...headers: string[]) => ['POST / HTTP/1.1', 'Host: x', ...headers, '', ''].join('\r\n');

// Servers behind each other may read each of these in two ways (RFC 9112, sections 2.2, 5 and 6).
test.each([
  ['Content-Length beside Transfer-Encoding', `${post('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
  ['Transfer-Encoding beside Content-Length', `${post('Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`],
  ['two lengths', `${post('Content-Length: 0', `Content-Length: ${smuggled.length}`)}`],
  ['a list of lengths', `${post(`Content-Length: 0, ${smuggled.length}`)}`],
  ['a length with a sign', `${post('Content-Length: +0')}`],
  ['a length in hexadecimal', `${post('Content-Length: 0x0')}`],
  ['a coding behind chunked', `${post('Transfer-Encoding: chunked, identity')}0\r\n\r\n`],
  ['a space before the colon', `${post('Content-Length : 0')}`],
  ['a folded header', `${post('Content-Length: 0', 'X-Folded: a', ' b')}`],
  ['a name that begins with a tab', `${post('\tContent-Length: 0')}`],
  ['lines that end without a carriage return', 'POST / HTTP/1.1\nHost: x\nContent-Length: 0\n\n'],
  ['a carriage return alone', 'POST / HTTP/1.1\r\nHost: x\rContent-Length: 0\r\n\r\n'],
  ['NUL in a value', `${post('X-Zero: a\0b', 'Content-Length: 0')}`],
  ['no host', 'POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n'],
])('a request with %s is refused, and nothing after it is read', async (_case, bytes) => {
  const answers = await sendBytes(server, `${bytes}${smuggled}`);
  expect(answers).not.toContain('reached');
  expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 400']);
});

// These requests are handled as soon as their headers have arrived.
test.each([
  ['a chunk length with a sign', `${post('Transfer-Encoding: chunked')}+0\r\n\r\n`],
  ['a chunk that ends without a carriage return', `${post('Transfer-Encoding: chunked')}1\r\na\n0\r\n\r\n`],
])('nothing is read after %s', async (_case, bytes) => {
  expect(await sendBytes(server, `${bytes}${smuggled}`)).not.toContain('/smuggled');
});
