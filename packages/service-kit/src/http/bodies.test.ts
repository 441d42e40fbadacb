import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Problem } from '@multi-drm/contracts';
import { Bodies } from './bodies';

/** What became of each body, in this order: its length, or the code of the problem. */
let outcomes: (number | string)[];
let servers: Server[];
let sockets: Socket[];
beforeEach(() => {
  [outcomes, servers, sockets] = [[], [], []];
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

function outcomeOf(bodies: Bodies, request: IncomingMessage): number | string {
  try {
    return bodies.bytesOf(request).length;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

/** Starts a server that receives bodies. */
async function receiving(bodies: Bodies, maximumBytes = 1_000): Promise<Server> {
  const server = createServer(async (request, response) => {
    const received = bodies.receive(request, maximumBytes);
    request.once('close', () => server.emit('closed request'));
    await received;
    outcomes.push(outcomeOf(bodies, request));
    response.end();
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Sends the head of a request, and the first part of its body. */
async function begin(server: Server, headers: string, part: string): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  const arrived = once(server, 'request');
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${part}`);
  await arrived;
  return socket;
}

test.each([
  ['of announced length', 'Content-Length: 1000', 'x'.repeat(1_000), 1_000],
  ['in one chunk', 'Transfer-Encoding: chunked', `3e8\r\n${'x'.repeat(1_000)}\r\n0\r\n\r\n`, 1_000],
  ['in chunks of a byte', 'Transfer-Encoding: chunked', `${'1\r\nx\r\n'.repeat(1_000)}0\r\n\r\n`, 1_000],
  ['without bytes', 'Transfer-Encoding: chunked', '0\r\n\r\n', 0],
  ['that is announced as too large', 'Content-Length: 1001', 'x'.repeat(1_001), 'request_too_large'],
  [
    'that becomes too large',
    'Transfer-Encoding: chunked',
    `${'1\r\nx\r\n'.repeat(1_001)}0\r\n\r\n`,
    'request_too_large',
  ],
])('a body %s is received up to its maximum', async (_how, headers, sent, outcome) => {
  const socket = await begin(await receiving(new Bodies()), headers, sent);
  await once(socket, 'data');
  expect(outcomes).toEqual([outcome]);
});

test.each([
  ['that fits', 64 * 1024],
  ['that is too large', 1_000],
])('a body %s is refused before its end if it arrives in more than 2,048 parts', async (_which, maximumBytes) => {
  const sent = '1\r\nx\r\n'.repeat(2_049);
  const server = await receiving(new Bodies(), maximumBytes);
  await once(await begin(server, 'Transfer-Encoding: chunked', sent), 'data');
  expect(outcomes).toEqual(['request_too_large']);
});

test('chunks keep their order and their bytes', async () => {
  const bodies = new Bodies();
  let text = '';
  const server = createServer(async (request, response) => {
    await bodies.receive(request);
    text = bodies.bytesOf(request).toString();
    response.end();
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const numbers = Array.from({ length: 2_000 }, (_, nth) => String(nth));
  const chunks = numbers.map((part) => `${part.length}\r\n${part}\r\n`).join('');
  await once(await begin(server, 'Transfer-Encoding: chunked', `${chunks}0\r\n\r\n`), 'data');
  expect(text).toBe(numbers.join(''));
});

/** Begins bodies of which half has arrived, one after the other. */
async function beginHalves(server: Server, count: number): Promise<Socket[]> {
  const halves: Socket[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    halves.push(await begin(server, 'Content-Length: 1000', 'x'.repeat(500)));
    // The part arrives with the head, or right after it.
    await new Promise(setImmediate);
  }
  return halves;
}

test('bodies that do not arrive share a limited amount of memory: the oldest one is given up', async () => {
  // Each takes 1,000 bytes: the first allocation, up to its maximum.
  const server = await receiving(new Bodies(3_000));
  const halves = await beginHalves(server, 4);
  await once(halves[0] as Socket, 'data');
  expect(outcomes).toEqual(['service_unavailable']);
  for (const half of halves.slice(1)) {
    half.write('x'.repeat(500));
    await once(half, 'data');
  }
  expect(outcomes).toEqual(['service_unavailable', 1_000, 1_000, 1_000]);
});

test('a body that has arrived, or lost its connection, takes no more of that memory', async () => {
  const server = await receiving(new Bodies(3_000));
  for (let round = 0; round < 3; round += 1) {
    for (const lost of await beginHalves(server, 3)) {
      const closed = once(server, 'closed request');
      lost.destroy();
      await closed;
    }
    for (const half of await beginHalves(server, 3)) {
      const closed = once(server, 'closed request');
      half.write('x'.repeat(500));
      await closed;
    }
  }
  expect(outcomes).toEqual(Array(9).fill(1_000));
});
