import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { startNetworkLink, startRedis, type TestRedis } from '@multi-drm/test-kit';
import { Redis } from 'ioredis';
import type { RedisClient } from './primaries';
import { createRedisClient, createRedisSubscriber } from './redis-client';
import { isRedisUnavailable, wasNeverSent } from './redis-errors';
import { redisAt } from './redis-servers';
import { sendLast } from './send-together';
import { messageLogger, ready } from './testing/connections';

let server: TestRedis;
let client: RedisClient;
const { logger, logged } = messageLogger();

beforeAll(async () => {
  server = await startRedis();
  client = createRedisClient({ servers: redisAt(server.url), name: 'test', logger });
  await ready(client);
});
afterAll(async () => {
  client.disconnect();
  await server.stop();
});

const failureOf = (command: Promise<unknown>): Promise<unknown> =>
  command.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Calls a command that a test has defined. */
const writeKey = (defined: RedisClient): Promise<unknown> => {
  if (!('writeKey' in defined && typeof defined.writeKey === 'function')) throw new Error('not defined');
  return defined.writeKey('key');
};

test('a command without a reply times out, and counts as Redis being unavailable', async () => {
  server.process.kill('SIGSTOP');
  const error = await failureOf(client.get('key'));
  server.process.kill('SIGCONT');
  expect(isRedisUnavailable(error)).toBe(true);
  expect(wasNeverSent(error)).toBe(false);
  await client.ping();
});

test('commands interrupted by a broken connection may have been executed', async () => {
  const blocked = failureOf(client.blpop('nothing', 5));
  const admin = new Redis(server.url);
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const error = await blocked;
  admin.disconnect();
  expect(isRedisUnavailable(error)).toBe(true);
  expect(wasNeverSent(error)).toBe(false);
  await ready(client);
});

test('a script that Redis refuses to run counts as Redis being unavailable, whether or not the connection has sent its text', async () => {
  const admin = new Redis(server.url);
  await admin.config('SET', 'min-replicas-to-write', 1);
  client.defineCommand('writeKey', { numberOfKeys: 1, lua: "#!lua\nreturn redis.call('SET', KEYS[1], 'x')" });
  const writes = () => Array.from({ length: 3 }, () => failureOf(writeKey(client)));
  // Redis refuses the text before it has read it, and after that knows no script with its digest.
  const errors = [...(await Promise.all(writes())), ...(await Promise.all(writes()))];
  await admin.config('SET', 'min-replicas-to-write', 0);
  admin.disconnect();
  expect(errors.map(isRedisUnavailable)).toEqual(errors.map(() => true));
  expect(await Promise.all(writes())).toEqual([undefined, undefined, undefined]);
});

test('without a connection a command fails at once, unsent; an outage is logged once when it begins and ends', async () => {
  logged.length = 0;
  await server.stop();
  const error = await failureOf(client.get('key'));
  expect(isRedisUnavailable(error)).toBe(true);
  expect(wasNeverSent(await failureOf(client.get('key')))).toBe(true);
  await server.start();
  await ready(client);
  expect(logged).toEqual(['Redis is unreachable', 'Redis is connected']);
});

test.each([
  ['for requests', createRedisClient],
  ['for subscriptions', createRedisSubscriber],
])('a silent connection %s is replaced, even if nobody uses it', async (_case, create) => {
  const link = await startNetworkLink(server.url);
  const onLink = create({ servers: redisAt(link.url), name: 'on-link', logger });
  await new Promise((resolve) => onLink.once('ready', resolve));
  await onLink.subscribe('news');
  link.abandon();
  await new Promise((resolve) => onLink.once('ready', resolve));
  expect(await onLink.ping()).toBe('PONG');
  onLink.disconnect();
  await link.close();
});

test('commands of one turn of the event loop leave together', async () => {
  const single = createRedisClient({ servers: redisAt(server.url), name: 'together', logger });
  if (!(single instanceof Redis)) throw new Error('not a client of one server');
  await ready(single);
  const { stream } = single;
  const written = jest.spyOn(stream, '_writev' as 'write');
  const replies = [single.set('together', 'yes'), single.get('together')];
  await new Promise(setImmediate);
  expect(written).toHaveBeenCalledTimes(1);
  expect(await Promise.all(replies)).toEqual(['OK', 'yes']);
  single.disconnect();
});

test('what is sent last in a turn follows its other commands, in the same write', async () => {
  const single = createRedisClient({ servers: redisAt(server.url), name: 'together', logger });
  if (!(single instanceof Redis)) throw new Error('not a client of one server');
  await ready(single);
  const written = jest.spyOn(single.stream, '_writev' as 'write');
  const first = single.set('last', 'first');
  const last = new Promise((resolve) => sendLast(single, () => resolve(single.get('last'))));
  const second = single.set('last', 'second');
  await new Promise(setImmediate);
  expect(written).toHaveBeenCalledTimes(1);
  expect(await Promise.all([first, last, second])).toEqual(['OK', 'second', 'OK']);
  single.disconnect();
});

test.each(['without other commands in the turn', 'after a turn with commands'])(
  '%s, what is sent last is sent',
  async (when) => {
    if (when === 'after a turn with commands') await client.set('last', 'alone');
    await new Promise(setImmediate);
    expect(await new Promise((resolve) => sendLast(client, () => resolve(client.ping())))).toBe('PONG');
  },
);

test('a delayed process keeps its connections', async () => {
  const closed = jest.fn();
  client.on('close', closed);
  const late = failureOf(client.ping());
  // Sent before the delay, answered during it.
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  await late;
  await client.ping();
  client.off('close', closed);
  expect(closed).not.toHaveBeenCalled();
});

test('a Redis that has loaded its data is found at once, whatever remaining time it announced', async () => {
  let loading = 1;
  const answers: Record<string, () => string> = {
    HELLO: () => '%1\r\n$5\r\nproto\r\n:3\r\n',
    INFO: () => bulk(`loading:${loading}\r\nloading_eta_seconds:60\r\n`),
  };
  const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
  const asked = new EventEmitter();
  const loadingServer = createServer((socket) =>
    socket.on('data', (commands) => {
      for (const [, name = ''] of commands.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        const command = name.toUpperCase();
        socket.write(answers[command]?.() ?? '+OK\r\n');
        asked.emit(command);
      }
    }),
  ).listen(0, '127.0.0.1');
  await once(loadingServer, 'listening');
  const { port } = loadingServer.address() as AddressInfo;
  const waiting = createRedisClient({ servers: redisAt(`redis://127.0.0.1:${port}`), name: 'waiting', logger });
  await once(asked, 'INFO');
  loading = 0;
  const since = performance.now();
  await new Promise((resolve) => waiting.once('ready', resolve));
  // By default the client would retry after ten seconds.
  expect(performance.now() - since).toBeLessThan(5_000);
  waiting.disconnect();
  loadingServer.close();
});

test('a command that Redis rejects as invalid is not an outage', async () => {
  await client.set('text', 'x');
  expect(isRedisUnavailable(await failureOf(client.lpush('text', 'y')))).toBe(false);
});

test.each(['READONLY You cannot write against a read only replica.', 'LOADING Redis is loading the dataset in memory'])(
  'the reply "%s" counts as an outage',
  async (reply) => {
    const reconnected = new Promise((resolve) => client.once('ready', resolve));
    const error = await failureOf(client.eval('return redis.error_reply(ARGV[1])', 0, reply));
    expect(isRedisUnavailable(error)).toBe(true);
    await reconnected;
  },
);
