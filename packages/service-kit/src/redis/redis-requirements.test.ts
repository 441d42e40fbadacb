import { connect as connectTo, createServer, type Server } from 'node:net';
import { Transform } from 'node:stream';
import { Redis } from 'ioredis';
import type { Logger } from '../logger';
import type { RedisClient } from './primaries';
import { createRedisClient } from './redis-client';
import { requireUsableRedis } from './redis-requirements';
import { type RedisServers, redisAt } from './redis-servers';

const ignore = () => undefined;
const logger: Logger = { error: ignore, warn: ignore, info: ignore, debug: ignore };

const clients: RedisClient[] = [];
let old: Server | undefined;
/** Connects to these servers and requires that the services can use them. */
function check(servers: RedisServers): Promise<void> {
  const client = createRedisClient({ servers, name: 'test', logger, commandTimeout: 10_000 });
  clients.push(client);
  return requireUsableRedis(client, servers, logger);
}
const checkAt = (url: string | undefined) => check(redisAt(url ?? ''));
const clusterAt = (url: string | undefined): RedisServers => {
  const { hostname, port } = new URL(url ?? '');
  return { kind: 'cluster', nodes: [{ host: hostname, port: Number(port) }], credentials: {} };
};
afterAll(() => {
  for (const client of clients) client.disconnect();
  old?.close();
});

/**
 * Starts a proxy that behaves like a Redis without script flags: the first line of scripts is no longer a flag line.
 * Resolves to its URL.
 */
async function startOldRedis(): Promise<string> {
  const { hostname, port } = new URL(process.env.TEST_REDIS_URL ?? '');
  const server = createServer((socket) => {
    const behind = connectTo(Number(port), hostname);
    const forget = new Transform({
      transform: (bytes: Buffer, _encoding, done) =>
        done(null, Buffer.from(bytes.toString('latin1').replaceAll('#!lua', '#?lua'), 'latin1')),
    });
    socket.pipe(forget).pipe(behind).pipe(socket);
    for (const each of [socket, behind]) each.on('error', () => undefined);
  });
  old = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

test('a node of a Redis Cluster is refused as the only Redis', async () => {
  await expect(checkAt(process.env.TEST_REDIS_CLUSTER_URL)).rejects.toThrow(
    'REDIS_URL: is a node of a Redis Cluster; use REDIS_CLUSTER',
  );
});

test('a Redis that is no cluster is refused as one', async () => {
  await expect(check(clusterAt(process.env.TEST_REDIS_URL))).rejects.toThrow(
    'REDIS_CLUSTER: is not a Redis Cluster; use REDIS_URL or REDIS_SENTINELS',
  );
});

test('a Redis older than 7 is refused', async () => {
  await expect(checkAt(await startOldRedis())).rejects.toThrow(
    'REDIS_URL: is too old; Redis 7 or later, or Valkey, is required',
  );
});

test('a standalone Redis is accepted, and so are a cluster and what is unreachable', async () => {
  await checkAt(process.env.TEST_REDIS_URL);
  await checkAt('redis://127.0.0.1:1');
  await check(clusterAt(process.env.TEST_REDIS_CLUSTER_URL));
  await check(clusterAt('redis://127.0.0.1:1'));
  const nowhere = [{ host: '127.0.0.1', port: 1 }];
  await check({ kind: 'sentinel', sentinels: nowhere, primaryName: 'p', sentinelCredentials: {}, credentials: {} });
});

test('a Redis that refuses INFO is accepted', async () => {
  const admin = new Redis(process.env.TEST_REDIS_URL ?? '');
  await admin.call('ACL', 'SETUSER', 'uninformed', 'on', 'nopass', '~*', '&*', '+@all', '-info');
  const url = new URL(process.env.TEST_REDIS_URL ?? '');
  url.username = 'uninformed';
  url.password = 'any';
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined); // the client's own warning about INFO
  await checkAt(url.href);
  warn.mockRestore();
  await admin.call('ACL', 'DELUSER', 'uninformed');
  admin.disconnect();
});
