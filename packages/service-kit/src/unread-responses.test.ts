import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { respondInTurn } from './http/responses-in-turn';
import { ServiceProcess } from './testing/service-process';

/** The shortest time in milliseconds after which an unread response is given up. */
const unread = 1_000;
const service = new ServiceProcess({ UNREAD: String(unread), KEEP_ALIVE_SECONDS: '60' });
const sockets: Socket[] = [];
let url: string;

beforeAll(async () => {
  url = await service.url();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  service.signal('SIGKILL');
  await service.exitCode();
});

/** Opens a connection that is not read yet. */
async function connection(): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined); // it may end with a reset
  await once(socket, 'connect');
  return socket;
}

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

async function json(path: string): Promise<unknown> {
  const [response] = (await once(get(`${url}${path}`, { agent: new Agent() }), 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of response) text += part;
  return JSON.parse(text);
}

/** Reads responses from one connection until this many have arrived, each ending with the given text. */
async function answersOn(socket: Socket, count: number, end: string): Promise<string> {
  let text = '';
  for await (const part of socket) {
    text += part;
    if (text.split(end).length > count) return text;
  }
  throw new Error(`the connection ended after ${text.length} characters`);
}

/** Resolves at the end of a connection. Node 26 reports that the service has reset it where Node 20 reports an ordinary end. */
const isOver = (socket: Socket) => socket.closed || new Promise((resolve) => socket.once('close', resolve));

test('pipelined requests are answered in order', async () => {
  const socket = await connection();
  socket.write(`${requestOf('/timeouts?1')}${requestOf('/missing')}${requestOf('/timeouts?2')}`);
  const text = await answersOn(socket, 2, '"keepAlive":');
  expect([...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '404', '200']);
  socket.destroy();
});

test('sixty connections that send requests and read nothing use little memory, and others are still served', async () => {
  const before = Number(await json('/memory'));
  const ahead = requestOf('/openapi.json').repeat(2_000);
  const floods = await Promise.all(Array.from({ length: 60 }, connection));
  for (const socket of floods) socket.write(ahead);
  await delay(200);
  const after = Number(await json('/memory'));
  expect((after - before) / 1024 / 1024).toBeLessThan(200);
  expect(await json('/timeouts')).toBeDefined();
  for (const socket of floods) socket.resume();
  await Promise.all(floods.map(isOver));
}, 60_000);

test('a connection that pipelines too many requests is closed without parsing them all', async () => {
  const server = createServer();
  respondInTurn(server, () => undefined);
  let requests = 0;
  server.on('request', () => {
    requests += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(requestOf('/').repeat(1_000));
  await once(server, 'connection').then(([served]) => once(served as Socket, 'close'));
  expect(requests).toBeLessThan(20);
  server.close();
});

test('a connection that reads nothing of a response is closed', async () => {
  const socket = await connection();
  const since = performance.now();
  socket.write(requestOf('/large'));
  await delay(unread / 2);
  // Start reading only when the service must have given up: the buffers between the processes hold less than the
  // response.
  await delay(4 * unread);
  let length = 0;
  socket.on('data', (part: Buffer) => {
    length += part.length;
  });
  await isOver(socket);
  expect(length).toBeLessThan(32 * 1024 * 1024);
  expect(performance.now() - since).toBeGreaterThan(unread);
});

test('a slow reader that keeps reading is served to the end', async () => {
  const socket = await connection();
  socket.write(requestOf('/large'));
  const since = performance.now();
  let length = 0;
  let untilPause = 0;
  for await (const part of socket) {
    length += (part as Buffer).length;
    untilPause += (part as Buffer).length;
    if (length > 32 * 1024 * 1024) break;
    if (untilPause < 1024 * 1024) continue;
    untilPause = 0;
    await delay(unread / 10);
  }
  expect(performance.now() - since).toBeGreaterThan(2 * unread);
  expect(length).toBeGreaterThan(32 * 1024 * 1024);
});

test('neither a slow handler nor a pause between two requests closes a connection', async () => {
  const [slow, pausing] = await Promise.all([connection(), connection()]);
  slow.write(requestOf('/slow'));
  pausing.write(requestOf('/timeouts'));
  await delay(2.5 * unread);
  service.signal('SIGUSR2');
  pausing.write(requestOf('/timeouts'));
  expect(await answersOn(slow, 1, 'done')).toContain('200 OK');
  await answersOn(pausing, 2, '"keepAlive":');
});

test('a connection whose only request has an expectation that nobody knows is closed like an idle one', async () => {
  const server = createServer({ keepAliveTimeout: 50 });
  respondInTurn(server, () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n');
  let text = '';
  for await (const part of socket) text += part;
  expect(text).toMatch(/^HTTP\/1.1 417 /);
  server.close();
});
