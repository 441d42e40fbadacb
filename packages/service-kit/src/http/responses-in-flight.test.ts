import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ResponsesInFlight } from './responses-in-flight';
import { respondInTurn } from './responses-in-turn';

let server: Server;
let responses: ResponsesInFlight;
/** The responses that a listener has to end. */
let begun: ServerResponse[];

beforeEach(async () => {
  server = createServer();
  responses = new ResponsesInFlight(server);
  begun = [];
  respondInTurn(
    server,
    responses.tracked((_request, response) => {
      begun.push(response);
      server.emit('begun', response);
    }),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => server.close());

/** Sends the same request several times concurrently; resolves when the first one has reached the listener. */
async function pipeline(count: number) {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined); // it may end with a reset
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count));
  const [response] = (await once(server, 'begun')) as [ServerResponse];
  return { client, response };
}

test.each([
  ['waited for their turn', 5],
  ['were too many', 40],
])('pipelined requests that %s are not kept when their connection breaks', async (_how, count) => {
  const { client, response } = await pipeline(count);
  client.destroy();
  await once(response, 'close');
  expect(responses.size).toBe(0);
});

test('a request is in flight until its response was sent', async () => {
  const { client, response } = await pipeline(1);
  expect(responses.size).toBe(1);
  response.end();
  await once(response, 'close');
  expect(responses.size).toBe(0);
  client.destroy();
});

test('a connection ends with the response in flight when connections end, and what waits behind it is not handled', async () => {
  const { client, response } = await pipeline(2);
  responses.endConnections();
  response.end();
  let text = '';
  for await (const part of client) text += part;
  expect(text.match(/^Connection: .*/gm)).toEqual(['Connection: close']);
  expect(begun).toHaveLength(1);
});
