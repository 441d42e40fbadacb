import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { sendBytes } from '../testing/send-bytes';
import { answerClientError } from './client-error';

let server: Server;
beforeAll(async () => {
  server = createServer({ headersTimeout: 50, connectionsCheckingInterval: 10 }, (request, response) => {
    response.end(`reached ${request.url}`);
  });
  server.on('clientError', answerClientError);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

test.each([
  [
    'headers that are too large',
    `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`,
    413,
    'request_too_large',
  ],
  ['a malformed request line', 'this is not HTTP\r\n\r\n', 400, 'invalid_request'],
  ['headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\n', 400, 'invalid_request'],
])('%s are answered with a problem', async (_case, bytes, status, code) => {
  const [head = '', body = ''] = (await sendBytes(server, bytes)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toContain('Content-Type: application/problem+json\r\n');
  expect(JSON.parse(body)).toMatchObject({ status, code, retryable: false });
});

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
