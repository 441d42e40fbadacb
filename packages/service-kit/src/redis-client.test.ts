import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { startNetworkLink, startRedis, type TestRedis } from '@multi-drm/local/testing';
import type { Redis } from 'ioredis';
import type { Logger } from './logger';
import { createRedisClient, createRedisSubscriber, isRedisUnavailable, wasNeverSent } from './redis-client';

let server: TestRedis;
let client: Redis;
const said: string[] = [];
const say = (message: string) => void said.push(message);
const logger: Logger = { error: say, warn: say, info: say, debug: () => undefined };

beforeAll(async () => {
  server = await startRedis();
  client = createRedisClient({ url: server.url, name: 'test', logger });
  await ready();
});
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

async function ready(): Promise<void> {
  while (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve));
}

const failureOf = (command: Promise<unknown>): Promise<unknown> =>
  command.then(
    () => undefined,
    (error: unknown) => error,
  );

test('a command of which no answer comes fails in time, and Redis counts as unavailable', async () => {
  server.process.kill('SIGSTOP');
  const error = await failureOf(client.get('key'));
  server.process.kill('SIGCONT');
  expect(isRedisUnavailable(error)).toBe(true);
  expect(wasNeverSent(error)).toBe(false);
  await client.ping();
});

test('commands that a breaking connection cuts off were perhaps carried out', async () => {
  const blocked = failureOf(client.blpop('nothing', 5));
  const admin = client.duplicate();
  await new Promise((resolve) => admin.once('ready', resolve));
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const error = await blocked;
  admin.disconnect();
  expect(isRedisUnavailable(error)).toBe(true);
  expect(wasNeverSent(error)).toBe(false);
  await ready();
});

test('without a connection a command fails at once, unsent; an outage is said once when it begins and ends', async () => {
  said.length = 0;
  await server.stop();
  const error = await failureOf(client.get('key'));
  expect(isRedisUnavailable(error)).toBe(true);
  expect(wasNeverSent(await failureOf(client.get('key')))).toBe(true);
  await server.start();
  await ready();
  expect(said).toEqual(['Redis is out of reach', 'Redis is in reach']);
});

test.each([
  ['of requests', createRedisClient],
  ['that listens', createRedisSubscriber],
])(
  'a connection %s on which nothing comes any more gives way to another, also where nobody uses it',
  async (_case, create) => {
    const link = await startNetworkLink(server.url);
    const onLink = create({ url: link.url, name: 'on-link', logger });
    await new Promise((resolve) => onLink.once('ready', resolve));
    await onLink.subscribe('news');
    link.abandon();
    await new Promise((resolve) => onLink.once('ready', resolve));
    expect(await onLink.ping()).toBe('PONG');
    onLink.disconnect();
    await link.close();
  },
);

test('a process that was itself kept waiting keeps its connections', async () => {
  const closed = jest.fn();
  client.on('close', closed);
  const late = failureOf(client.ping());
  // It is sent before the wait and answered meanwhile.
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  await late;
  await client.ping();
  client.off('close', closed);
  expect(closed).not.toHaveBeenCalled();
});

test('a Redis that has read its data is found at once, however long it said that it would take', async () => {
  let loading = 1;
  const answers: Record<string, () => string> = {
    HELLO: () => '%1\r\n$5\r\nproto\r\n:3\r\n',
    INFO: () => bulk(`loading:${loading}\r\nloading_eta_seconds:60\r\n`),
  };
  const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
  const asked = new EventEmitter();
  const reading = createServer((socket) =>
    socket.on('data', (commands) => {
      for (const [, name = ''] of commands.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        const command = name.toUpperCase();
        socket.write(answers[command]?.() ?? '+OK\r\n');
        asked.emit(command);
      }
    }),
  ).listen(0, '127.0.0.1');
  await once(reading, 'listening');
  const { port } = reading.address() as AddressInfo;
  const waiting = createRedisClient({ url: `redis://127.0.0.1:${port}`, name: 'waiting', logger });
  await once(asked, 'INFO');
  loading = 0;
  const since = performance.now();
  await new Promise((resolve) => waiting.once('ready', resolve));
  // Left to itself, the client asks again after ten seconds.
  expect(performance.now() - since).toBeLessThan(5_000);
  waiting.disconnect();
  reading.close();
});

test('a command that Redis refuses as wrong is no outage', async () => {
  await client.set('text', 'x');
  expect(isRedisUnavailable(await failureOf(client.lpush('text', 'y')))).toBe(false);
});

test.each(['READONLY You cannot write against a read only replica.', 'LOADING Redis is loading the dataset in memory'])(
  'the reply "%s" is an outage',
  async (reply) => {
    const reconnected = new Promise((resolve) => client.once('ready', resolve));
    const error = await failureOf(client.eval('return redis.error_reply(ARGV[1])', 0, reply));
    expect(isRedisUnavailable(error)).toBe(true);
    await reconnected;
  },
);
