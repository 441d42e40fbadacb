import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, localHost } from '@multi-drm/local/ports';
import { askRedis, type RedisServer, startRedisServer } from '@multi-drm/local/redis-server';
import { type NetworkLink, startNetworkLink } from './network-link';
import { type RedisSecurity, secureRedis } from './secured-redis';
import { startTestRedis, type TestFolder } from './test-servers';
import { until } from './until';

const primaryName = 'premiere';
const never = new AbortController().signal;

export interface TestSentinelOptions {
  /**
   * Must exceed 1,000: a Sentinel first pings a promoted server after a second, and would otherwise take it for down.
   * Default: far more than a busy machine delays it.
   */
  promotesAfterMilliseconds?: number;
  /** Whether clients need encryption, a user and a password at Redis and at the Sentinel. */
  secured?: boolean;
  /** Default: 1. */
  replicas?: number;
  /** Whether everybody reaches the primary of the start only through a link of this process. */
  behindLink?: boolean;
  /** Further lines of the configuration of the servers that hold data. */
  directives?: readonly string[];
}

/** A primary, its replicas, and a Sentinel that promotes a replica when the primary has been silent for some time. */
export interface TestSentinel {
  /** The settings of a service that uses them. Of the two Sentinels that they name, the first does not exist. */
  settings: Record<string, string>;
  /** At the start. */
  primary: RedisServer;
  replica: RedisServer;
  /** All of them, `replica` first. */
  replicas: RedisServer[];
  sentinel: RedisServer;
  /** To the primary of the start; undefined if it is reached directly. The caller closes it. */
  link: NetworkLink | undefined;
  /** Has the Sentinel promote a replica. */
  failOver(): Promise<void>;
  /** Sends commands to a server, as an administrator; resolves to its raw replies. */
  ask(server: RedisServer, ...commands: string[]): Promise<string>;
}

/** Starts them; resolves once the replicas follow the primary and the Sentinel knows all. They stop with the folder's other servers. */
export async function startTestSentinel(folder: TestFolder, options: TestSentinelOptions = {}): Promise<TestSentinel> {
  const security = options.secured ? secureRedis(folder) : undefined;
  const authentication = security === undefined ? [] : [`AUTH ${security.adminPassword}`];
  const ask = ({ port }: RedisServer, ...commands: string[]) => askRedis(port, [...authentication, ...commands]);
  const start = async (name: string, ...directives: string[]) => {
    const dataFolder = join(folder.path, name);
    const own = await encryption(security);
    const secured = security === undefined ? [] : [...security.dataDirectives, 'tls-replication yes'];
    const lines = [...own.directives, ...secured, ...directives, ...(options.directives ?? [])];
    const server = { appendOnly: false, dataFolder, directives: lines, password: security?.adminPassword };
    return { ...(await startTestRedis(folder, server)), clientPort: own.clientPort };
  };
  const primary = await start('redis-primary', 'repl-diskless-sync-delay 0');
  const link = options.behindLink
    ? await startNetworkLink(`redis://${localHost}:${primary.clientPort ?? primary.port}`)
    : undefined;
  const primaryPort = link === undefined ? (primary.clientPort ?? primary.port) : Number(new URL(link.url).port);
  const follow = `replicaof ${localHost} ${primaryPort}`;
  const replica = await start('redis-replica', follow);
  const names = Array.from({ length: (options.replicas ?? 1) - 1 }, (_, index) => `redis-replica-${index + 2}`);
  const replicas = [replica, ...(await Promise.all(names.map((name) => start(name, follow))))];
  const follows = async (server: RedisServer) =>
    (await ask(server, 'INFO replication')).includes('master_link_status:up\r\n');
  const knowsAll = new RegExp(`name=premiere,status=ok.*,slaves=${replicas.length},`);
  const sentinel = await startSentinel(folder, primaryPort, security, options);
  await until(
    async () =>
      (await Promise.all(replicas.map(follows))).every(Boolean) && knowsAll.test(await ask(sentinel, 'INFO sentinel')),
    'the servers of the Sentinel did not find each other',
  );
  const failOver = async () => {
    const answer = await ask(sentinel, `SENTINEL FAILOVER ${primaryName}`);
    if (!answer.includes('+OK')) throw new Error(`unexpected reply of a Sentinel: ${answer}`);
  };
  return { settings: settingsOf(sentinel, security), primary, replica, replicas, sentinel, link, ask, failOver };
}

/** A port with encryption, for clients, and the lines that open it. */
async function encryption(security: RedisSecurity | undefined) {
  if (security === undefined) return { clientPort: undefined, directives: [] };
  const clientPort = await findFreePort();
  return { clientPort, directives: security.directives(clientPort) };
}

async function startSentinel(
  folder: TestFolder,
  primaryPort: number,
  security: RedisSecurity | undefined,
  { promotesAfterMilliseconds = 60_000 }: TestSentinelOptions,
) {
  const data = join(folder.path, 'redis-sentinel');
  mkdirSync(data, { recursive: true });
  const { clientPort, directives } = await encryption(security);
  const server = await startRedisServer({
    folder: data,
    logFile: join(data, 'redis.log'),
    appendOnly: false,
    sentinel: true,
    password: security?.adminPassword,
    directives: [
      ...directives,
      `sentinel monitor ${primaryName} ${localHost} ${primaryPort} 1`,
      `sentinel down-after-milliseconds ${primaryName} ${promotesAfterMilliseconds}`,
      `sentinel failover-timeout ${primaryName} 5000`,
      ...(security === undefined
        ? []
        : ['tls-replication yes', `sentinel auth-pass ${primaryName} ${security.adminPassword}`]),
    ],
    children: folder.children,
    stop: never,
  });
  return { ...server, clientPort };
}

function settingsOf(
  { port, clientPort }: RedisServer & { clientPort: number | undefined },
  security: RedisSecurity | undefined,
): Record<string, string> {
  const protocol = security === undefined ? 'redis' : 'rediss';
  return {
    REDIS_SENTINELS: `${protocol}://${localHost}:1,${protocol}://${localHost}:${clientPort ?? port}`,
    REDIS_PRIMARY_NAME: primaryName,
    ...(security === undefined
      ? {}
      : {
          REDIS_SENTINEL_USERNAME: security.username,
          REDIS_SENTINEL_PASSWORD: security.password,
          ...security.settings,
        }),
  };
}
