import { connect as connectTo, createServer, type Server } from 'node:net';
import { Transform } from 'node:stream';
import { Redis } from 'ioredis';
import type { Logger } from './logger';
import { createRedisClient } from './redis-client';
import { requireUsableRedis } from './redis-requirements';

const ignore = () => undefined;
const logger: Logger = { error: ignore, warn: ignore, info: ignore, debug: ignore };

const clients: Redis[] = [];
let old: Server | undefined;
function connect(url: string | undefined): Redis {
  const client = createRedisClient({ url: url ?? '', name: 'test', logger, commandTimeout: 10_000 });
  clients.push(client);
  return client;
}
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

test('a node of a Redis Cluster is refused', async () => {
  await expect(requireUsableRedis(connect(process.env.TEST_REDIS_CLUSTER_URL), logger)).rejects.toThrow(
    'REDIS_URL: is a node of a Redis Cluster, which is not supported',
  );
});

test('a Redis older than 7 is refused', async () => {
  await expect(requireUsableRedis(connect(await startOldRedis()), logger)).rejects.toThrow(
    'REDIS_URL: is too old; Redis 7 or later, or Valkey, is required',
  );
});

test('a standalone Redis is accepted, and so is an unreachable one', async () => {
  await requireUsableRedis(connect(process.env.TEST_REDIS_URL), logger);
  await requireUsableRedis(connect('redis://127.0.0.1:1'), logger);
});

test('a Redis that refuses INFO is accepted', async () => {
  const admin = new Redis(process.env.TEST_REDIS_URL ?? '');
  await admin.call('ACL', 'SETUSER', 'uninformed', 'on', 'nopass', '~*', '&*', '+@all', '-info');
  const url = new URL(process.env.TEST_REDIS_URL ?? '');
  url.username = 'uninformed';
  url.password = 'any';
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined); // the client's own warning about INFO
  await requireUsableRedis(connect(url.href), logger);
  warn.mockRestore();
  await admin.call('ACL', 'DELUSER', 'uninformed');
  admin.disconnect();
});
