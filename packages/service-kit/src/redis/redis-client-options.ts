import type { RedisOptions } from 'ioredis';
import type { Logger } from '../logger';
import type { RedisServers } from './redis-servers';

export interface RedisClientOptions {
  servers: RedisServers;
  /** Sent to Redis (CLIENT SETNAME) and logged. */
  name: string;
  logger: Logger;
  /** Timeout of each command, in milliseconds; on a cluster, with all redirections. */
  commandTimeout?: number;
  /** Called when the client leaves a primary that still answers, because the Sentinels name another one. */
  onReplaced?: () => void;
}

export const defaultCommandTimeout = 300;

/** The library's options for every connection, whatever the kind of server. */
export function connectionOptions(
  { name, commandTimeout = defaultCommandTimeout }: RedisClientOptions,
  { credentials, tls }: Pick<RedisServers, 'credentials' | 'tls'>,
) {
  return {
    connectionName: name,
    commandTimeout,
    // Short enough that, with the longest retry delay, Redis is found within a second after it is back or has loaded its data.
    connectTimeout: 600,
    maxLoadingRetryTime: 200,
    // How long to wait until the other end closes the connection. A silent one never does.
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0,
    ...credentials,
    ...(tls === undefined ? {} : { tls }),
  } satisfies Omit<RedisOptions, 'replyMapping'>;
}
