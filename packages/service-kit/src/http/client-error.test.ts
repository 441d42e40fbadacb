import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerClientError } from './client-error';

let server: Server;
beforeAll(async () => {
  server = createServer({ headersTimeout: 50, connectionsCheckingInterval: 10 }, (_request, response) => {
    response.end('reached the application');
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
  ['a malformed request line', 'what is this\r\n\r\n', 400, 'invalid_request'],
  ['headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\n', 400, 'invalid_request'],
])('%s are answered with a problem', async (_case, bytes, status, code) => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toContain('Content-Type: application/problem+json\r\n');
  expect(JSON.parse(body)).toMatchObject({ status, code, retryable: false });
});
