import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Children, RunningChild } from './child-process';
import { lastLines } from './log-file';
import { findFreePort, localHost } from './ports';
import { writePrivateFile } from './private-file';
import { findOrInstallRedis } from './redis-program';
import { ReadableFailure } from './terminal-output';

export interface RedisOptions {
  /** The folder of the data and the configuration; created if absent. */
  folder: string;
  logFile: string;
  /** Whether an append-only file preserves the data across restarts. */
  appendOnly: boolean;
  /** For tests: whether that file is never rewritten, so that it contains every write, even of deleted keys. */
  keepsEveryWrite?: boolean;
  /** Default: no password. */
  password?: string | undefined;
  /** Default: a free port. */
  port?: number | undefined;
  /** If set, Redis runs as a cluster node with this port for the cluster bus. */
  clusterPort?: number | undefined;
  /** Further lines of the configuration; they override the others. */
  directives?: readonly string[];
  /** Whether it runs as a Sentinel, which holds no data. */
  sentinel?: boolean;
  /** Default: that of this process. */
  environment?: NodeJS.ProcessEnv | undefined;
  children: Children;
  stop: AbortSignal;
}

export interface RedisServer {
  url: string;
  port: number;
  child: RunningChild;
}

const readyWithinMilliseconds = 60_000;

/** Starts a Redis on 127.0.0.1 and resolves once it responds and has loaded its data. */
export async function startRedisServer(options: RedisOptions): Promise<RedisServer> {
  const program = await findOrInstallRedis(options.stop);
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  // A free port may be taken by another program before Redis listens on it.
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await findFreePort());
    const configuration = join(options.folder, 'redis.conf');
    // In a file instead of arguments, because all users can read the arguments of a running process.
    writePrivateFile(configuration, configurationText(options, port));
    const child = await options.children.start({
      name: 'Redis',
      command: [program, configuration, ...(options.sentinel ? ['--sentinel'] : [])],
      output: { logFile: options.logFile },
      ...(options.environment === undefined ? {} : { environment: options.environment }),
    });
    if (await isReady(port, options.password, child, options.stop)) {
      return { port, child, url: urlOf(port, options.password) };
    }
    const log = lastLines(options.logFile, 20);
    if (attempt < 3 && options.port === undefined && log.includes('Address already in use')) continue;
    throw new ReadableFailure(`Redis did not start. The end of ${options.logFile}:\n${log}`);
  }
}

function configurationText(options: RedisOptions, port: number): string {
  const { directives = [] } = options;
  const own = [`bind ${localHost}`, `port ${port}`, `dir ${JSON.stringify(options.folder)}`, 'daemonize no'];
  const lines = options.sentinel ? own : [...own, ...dataLines(options)];
  if (options.password !== undefined) lines.push(`requirepass ${options.password}`);
  return `${[...lines, ...directives].join('\n')}\n`;
}

function dataLines(options: RedisOptions): string[] {
  const lines = [
    `appendonly ${options.appendOnly ? 'yes' : 'no'}`,
    // The append-only file is the only copy on disk.
    'save ""',
    // Reservations must never be evicted.
    'maxmemory-policy noeviction',
  ];
  if (options.keepsEveryWrite) lines.push('auto-aof-rewrite-percentage 0', 'appendfsync no');
  if (options.clusterPort !== undefined) {
    // A long timeout, so that a node on a busy machine is not considered dead.
    lines.push('cluster-enabled yes', `cluster-port ${options.clusterPort}`, 'cluster-node-timeout 60000');
  }
  return lines;
}

function urlOf(port: number, password: string | undefined): string {
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
  return `redis://${credentials}${localHost}:${port}`;
}

/** Resolves to true once it responds and has loaded its data, or to false if it has ended. */
async function isReady(
  port: number,
  password: string | undefined,
  child: RunningChild,
  stop: AbortSignal,
): Promise<boolean> {
  for (const deadline = Date.now() + readyWithinMilliseconds; Date.now() < deadline; await sleep(25)) {
    stop.throwIfAborted();
    if (child.end() !== undefined) return false;
    const authentication = password === undefined ? [] : [`AUTH ${password}`];
    const answer = await askRedis(port, [...authentication, 'INFO server', 'PING']);
    // Another Redis may have taken the port; this one then ends soon.
    if (answer.includes(`process_id:${child.pid}\r\n`) && answer.includes('+PONG')) return true;
  }
  throw new ReadableFailure(`Redis was not ready within ${readyWithinMilliseconds / 1000} s.`);
}

/** Sends inline commands to Redis; resolves to its raw replies, or to an empty string if it cannot be reached. */
export async function askRedis(port: number, commands: string[]): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, localHost);
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
    socket.end(`${[...commands, 'QUIT'].join('\r\n')}\r\n`);
  });
}
