import { Redis, ReplyError } from 'ioredis';
import type { Logger } from './logger';

interface RedisClientOptions {
  url: string;
  /** Told to Redis (CLIENT SETNAME) and in log lines. */
  name: string;
  logger: Logger;
  /**
   * Bound of each command once it is sent, in milliseconds. With automatic pipelining a command may wait as long again
   * for the pipeline before it.
   */
  commandTimeout?: number;
}

/**
 * A Redis client for request paths: a command that cannot be sent or answered in time fails at once instead of waiting
 * in a queue, and the connection comes back by itself. An outage is logged once when it begins and once when it ends.
 */
export function createRedisClient({ url, name, logger, commandTimeout = 300 }: RedisClientOptions): Redis {
  const client = new Redis(url, {
    connectionName: name,
    commandTimeout,
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * attempt, 250),
    // A replica after a failover, or a server that is still reading its data: connect anew, maybe to another one.
    reconnectOnError: ({ message }) => /^(READONLY|LOADING|MASTERDOWN)\b/.test(message),
  });
  let away = false;
  let lastError: Error | undefined;
  client.on('error', (error: Error) => {
    lastError = error;
  });
  client.on('reconnecting', () => {
    if (!away) logger.warn('Redis is out of reach', { client: name, error: lastError });
    away = true;
  });
  client.on('ready', () => {
    logger.info('Redis is in reach', { client: name });
    away = false;
    lastError = undefined;
  });
  return client;
}

const unavailableReplies =
  /^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|OOM|BUSY|NOAUTH|WRONGPASS|UNBLOCKED)\b/;
const unavailableMessages =
  /Command timed out|Command aborted|Connection is closed|isn't writeable|max retries per request|Reached the max retries|connect ETIMEDOUT/i;

/** Whether an error says that the command was never sent, so that Redis cannot have carried it out. */
export function wasNeverSent(error: unknown): boolean {
  return error instanceof Error && /isn't writeable/.test(error.message);
}

/** Whether an error says that Redis is out of reach or cannot serve for now, rather than that a command was wrong. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ReplyError) return unavailableReplies.test(error.message);
  if (error.name === 'MaxRetriesPerRequestError') return true;
  if (
    'code' in error &&
    /^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOTFOUND)$/.test(String(error.code))
  )
    return true;
  return unavailableMessages.test(error.message);
}
