import { Redis } from 'ioredis';
import type { Logger } from './logger';
import { createRedisClient } from './redis-client';
import { refuseRedisCluster } from './redis-cluster';

const say = () => undefined;
const logger: Logger = { error: say, warn: say, info: say, debug: say };
const refusal = 'REDIS_URL: is a node of a Redis Cluster, which is not supported';

const clients: Redis[] = [];
function connect(url: string | undefined): Redis {
  const client = createRedisClient({ url: url ?? '', name: 'test', logger, commandTimeout: 10_000 });
  clients.push(client);
  return client;
}
afterAll(() => {
  for (const client of clients) client.disconnect();
});

test('a node of a Redis Cluster is refused', async () => {
  await expect(refuseRedisCluster(connect(process.env.TEST_REDIS_CLUSTER_URL), logger)).rejects.toThrow(refusal);
});

test('a Redis by itself is taken, and so is one that is away for now', async () => {
  await refuseRedisCluster(connect(process.env.TEST_REDIS_URL), logger);
  await refuseRedisCluster(connect('redis://127.0.0.1:1'), logger);
});

test('a Redis that does not tell what it is, is taken', async () => {
  const admin = new Redis(process.env.TEST_REDIS_URL ?? '');
  await admin.call('ACL', 'SETUSER', 'uninformed', 'on', 'nopass', '~*', '&*', '+@all', '-info');
  const url = new URL(process.env.TEST_REDIS_URL ?? '');
  url.username = 'uninformed';
  url.password = 'any';
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined); // the client's own, about INFO
  await refuseRedisCluster(connect(url.href), logger);
  warn.mockRestore();
  await admin.call('ACL', 'DELUSER', 'uninformed');
  admin.disconnect();
});
