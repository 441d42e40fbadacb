import { join } from 'node:path';
import type { Children, RunningChild } from './child-process';
import { beginLogFile } from './log-file';
import { assertReachable, localHost } from './ports';
import { ensureDatabase, startPostgres } from './postgres-server';
import { startRedisServer } from './redis-server';
import type { LocalSecrets } from './secrets';
import type { LocalSettings } from './settings';
import { printLine } from './terminal-output';

export interface Store {
  url: string;
  /** The embedded server; absent if the user provides one. */
  child?: RunningChild;
}

export interface StoreContext {
  settings: LocalSettings;
  secrets: LocalSecrets;
  children: Children;
  stop: AbortSignal;
}

const database = 'multi_drm';

/** The user's PostgreSQL, or else an embedded one with its data in the data folder. */
export async function findOrStartPostgres({ settings, secrets, children, stop }: StoreContext): Promise<Store> {
  if (settings.databaseUrl !== undefined) {
    printLine(`PostgreSQL     ${withoutPassword(settings.databaseUrl)}, from DATABASE_URL`);
    return { url: settings.databaseUrl };
  }
  const folder = join(settings.dataFolder, 'postgres');
  const logFile = beginLogFile(join(settings.dataFolder, 'logs', 'postgres.log'));
  const server = await startPostgres({
    folder,
    password: secrets.postgresPassword,
    logFile,
    durable: true,
    children,
    stop,
  });
  await ensureDatabase(server, database);
  printLine(`PostgreSQL     ${localHost}:${server.port}, data in ${folder}`);
  return { url: server.url(database), child: server.child };
}

/** The user's Redis, or else a local one with its append-only file in the data folder. */
export async function findOrStartRedis({ settings, secrets, children, stop }: StoreContext): Promise<Store> {
  if (settings.redisUrl !== undefined) {
    await assertReachable(settings.redisUrl, 'REDIS_URL', 6379);
    printLine(`Redis          ${withoutPassword(settings.redisUrl)}, from REDIS_URL`);
    return { url: settings.redisUrl };
  }
  const folder = join(settings.dataFolder, 'redis');
  const logFile = beginLogFile(join(settings.dataFolder, 'logs', 'redis.log'));
  const server = await startRedisServer({
    folder,
    password: secrets.redisPassword,
    logFile,
    appendOnly: true,
    children,
    stop,
  });
  printLine(`Redis          ${localHost}:${server.port}, data in ${folder}`);
  return { url: server.url, child: server.child };
}

function withoutPassword(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'server';
}
