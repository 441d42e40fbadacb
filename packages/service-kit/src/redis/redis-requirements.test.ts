import { connect as connectTo, createServer, type Server } from 'node:net';
import { Transform } from 'node:stream';
import { startRedis } from '@multi-drm/test-kit';
import { Cluster, Redis } from 'ioredis';
import type { Logger } from '../logger';
import { warnUnlessAppendOnly } from './append-only-file';
import { warnUnlessNoEviction } from './eviction-policy';
import type { RedisClient } from './primaries';
import { createRedisClient } from './redis-client';
import { requireUsableRedis } from './redis-requirements';
import { type RedisServers, redisAt } from './redis-servers';
import { messageLogger, ready } from './testing/connections';

const ignore = () => undefined;
const logger: Logger = { error: ignore, warn: ignore, info: ignore, debug: ignore };

const clients: RedisClient[] = [];
const proxies: Server[] = [];
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
  for (const proxy of proxies) proxy.close();
});

/** Starts a proxy in front of Redis that changes what clients send. Resolves to its URL. */
async function startProxy(change: (sent: string) => string): Promise<string> {
  const { hostname, port } = new URL(process.env.TEST_REDIS_URL ?? '');
  const server = createServer((socket) => {
    const behind = connectTo(Number(port), hostname);
    const changing = new Transform({
      transform: (bytes: Buffer, _encoding, done) =>
        done(null, Buffer.from(change(bytes.toString('latin1')), 'latin1')),
    });
    socket.pipe(changing).pipe(behind).pipe(socket);
    for (const each of [socket, behind]) each.on('error', () => undefined);
  });
  proxies.push(server);
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
  // The first line of a script without flags is not a flag line.
  const old = await startProxy((sent) => sent.replaceAll('#!lua', '#?lua'));
  await expect(checkAt(old)).rejects.toThrow('REDIS_URL: is too old; Redis 7 or later, or Valkey, is required');
});

test('a standalone Redis is accepted, and so are a cluster and what is unreachable', async () => {
  await checkAt(process.env.TEST_REDIS_URL);
  await checkAt('redis://127.0.0.1:1');
  await check(clusterAt(process.env.TEST_REDIS_CLUSTER_URL));
  await check(clusterAt('redis://127.0.0.1:1'));
  const nowhere = [{ host: '127.0.0.1', port: 1 }];
  await check({ kind: 'sentinel', sentinels: nowhere, primaryName: 'p', sentinelCredentials: {}, credentials: {} });
});

test('a proxy that does not know INFO and CONFIG is used, and the log says what could not be checked', async () => {
  const url = await startProxy((sent) =>
    sent.replaceAll(/\r\n(info|config)\r\n/gi, (name) => name.replace(/[on]/i, '0')),
  );
  const { logger: own, logged } = messageLogger();
  const client = createRedisClient({ servers: redisAt(url), name: 'test', logger: own, commandTimeout: 10_000 });
  clients.push(client);
  warnUnlessNoEviction(client, own);
  await requireUsableRedis(client, redisAt(url), own);
  expect(await client.ping()).toBe('PONG');
  expect(logged).toEqual([
    'could not check whether Redis has loaded its data, and whether it is a node of a cluster: it refuses INFO',
    'Redis is connected',
    'could not check the maxmemory-policy of Redis, which must be noeviction',
  ]);
});

test('a Redis that may lose data is used, and the log says what to set', async () => {
  const server = await startRedis();
  const admin = new Redis(server.url);
  const warnings = async (): Promise<string[]> => {
    const { logger: own, logged } = messageLogger();
    const client = createRedisClient({ servers: redisAt(server.url), name: 'test', logger: own });
    clients.push(client);
    warnUnlessNoEviction(client, own);
    warnUnlessAppendOnly(client, own);
    await requireUsableRedis(client, redisAt(server.url), own);
    // Behind the questions on the same connection.
    await client.ping();
    return logged.filter((message) => message.includes('set '));
  };
  await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await admin.config('SET', 'appendonly', 'no');
  expect(await warnings()).toEqual([
    'Redis may drop data: set maxmemory-policy to noeviction',
    'Redis loses data when it restarts: set appendonly to yes',
  ]);
  await admin.config('SET', 'maxmemory-policy', 'noeviction');
  await admin.config('SET', 'appendonly', 'yes');
  expect(await warnings()).toEqual([]);
  admin.disconnect();
  await server.stop();
});

test('a user that may not call INFO is accepted, on a cluster too', async () => {
  const warn = jest.spyOn(console, 'warn').mockReturnValue();
  const cluster = clusterAt(process.env.TEST_REDIS_CLUSTER_URL);
  const nodes = new Cluster(cluster.kind === 'cluster' ? [...cluster.nodes] : []);
  const single = new Redis(process.env.TEST_REDIS_URL ?? '');
  await nodes.ping();
  const admins = [single, ...nodes.nodes()];
  for (const admin of admins)
    await admin.call('ACL', 'SETUSER', 'uninformed', 'on', 'nopass', '~*', '&*', '+@all', '-info');
  const credentials = { username: 'uninformed', password: 'any' };
  for (const servers of [redisAt(process.env.TEST_REDIS_URL ?? ''), cluster]) {
    const client = createRedisClient({
      servers: { ...servers, credentials },
      name: 'test',
      logger,
      commandTimeout: 10_000,
    });
    clients.push(client);
    await requireUsableRedis(client, servers, logger);
    await ready(client);
    expect(await client.get('anything')).toBeNull();
    // The client library accepts this itself on a cluster, and prints a line for each node.
    if (servers !== cluster) expect(warn).not.toHaveBeenCalled();
  }
  for (const admin of admins) await admin.call('ACL', 'DELUSER', 'uninformed');
  single.disconnect();
  nodes.disconnect();
  warn.mockRestore();
});
