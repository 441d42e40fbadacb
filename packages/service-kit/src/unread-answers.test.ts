import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answerInTurn } from './http/answers-in-turn';
import { ServiceProcess } from './testing/service-process';

/** Milliseconds after which an answer of which nothing is taken is given up at the earliest. */
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

/** A connection that reads nothing until it is told to. */
async function connection(): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined); // a reset is one of the ways in which it may end
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

/** The bodies of so many answers on one connection, each of which ends with the text. */
async function answersOn(socket: Socket, count: number, end: string): Promise<string> {
  let text = '';
  for await (const part of socket) {
    text += part;
    if (text.split(end).length > count) return text;
  }
  throw new Error(`the connection ended after ${text.length} characters`);
}

const isOver = (socket: Socket) => socket.closed || once(socket, 'close');

test('requests that are sent ahead are answered in their order', async () => {
  const socket = await connection();
  socket.write(`${requestOf('/timeouts?1')}${requestOf('/missing')}${requestOf('/timeouts?2')}`);
  const text = await answersOn(socket, 2, '"keepAlive":');
  expect([...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '404', '200']);
  socket.destroy();
});

test('sixty connections that ask again and again and read nothing take little memory, and others are answered', async () => {
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

test('of what a connection sent ahead no more is looked at than it may send', async () => {
  const server = createServer();
  answerInTurn(server, () => undefined);
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

test('a connection ends that takes nothing of an answer', async () => {
  const socket = await connection();
  const since = performance.now();
  socket.write(requestOf('/large'));
  await delay(unread / 2);
  // Reading starts only when the service must have given up: what lies between the processes is less than the answer.
  await delay(4 * unread);
  let length = 0;
  socket.on('data', (part: Buffer) => {
    length += part.length;
  });
  await isOver(socket);
  expect(length).toBeLessThan(32 * 1024 * 1024);
  expect(performance.now() - since).toBeGreaterThan(unread);
});

test('a reader that is slow and goes on is waited for', async () => {
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

test('neither an answer that takes long to be made nor a pause between two requests ends a connection', async () => {
  const [slow, pausing] = await Promise.all([connection(), connection()]);
  slow.write(requestOf('/slow'));
  pausing.write(requestOf('/timeouts'));
  await delay(2.5 * unread);
  service.signal('SIGUSR2');
  pausing.write(requestOf('/timeouts'));
  expect(await answersOn(slow, 1, 'done')).toContain('200 OK');
  await answersOn(pausing, 2, '"keepAlive":');
});
