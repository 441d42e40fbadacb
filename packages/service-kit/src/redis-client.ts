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

/** So many pings without an answer, one after the other, end a connection. */
const missedPings = 2;

/**
 * A Redis client for request paths: a command that cannot be sent or answered in time fails at once instead of waiting
 * in a queue. The connection comes back by itself, also where it fell silent: that shows after 0.75 seconds at most, by
 * pings. An outage is logged once when it begins and once when it ends.
 */
export function createRedisClient(options: RedisClientOptions): Redis {
  return connect(options, 250);
}

/**
 * A Redis client to subscribe with, at each `ready`. Its silence shows after three seconds at most: a Redis that pauses for
 * less should not cost what a subscriber keeps in memory.
 */
export function createRedisSubscriber(options: RedisClientOptions): Redis {
  return connect(options, 1_000);
}

function connect({ url, name, logger, commandTimeout = 300 }: RedisClientOptions, pingInterval: number): Redis {
  const client = new Redis(url, {
    connectionName: name,
    commandTimeout,
    // With the longest pause before an attempt, a Redis that is back, or has read its data, is found within a second.
    connectTimeout: 600,
    maxLoadingRetryTime: 200,
    // How long the other end has for its part of a goodbye, which one that is silent never says.
    disconnectTimeout: 100,
    // Nobody would handle its failure, which would end the process.
    autoResubscribe: false,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * attempt, 250),
    // A replica after a failover, or a server that is still reading its data: connect anew, maybe to another one.
    reconnectOnError: ({ message }) => /^(READONLY|LOADING|MASTERDOWN)\b/.test(message),
  });
  // Any number of callers may wait for the connection at once.
  client.setMaxListeners(0);
  dropWhenSilent(client, pingInterval);
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

/**
 * Pings, and ends the connection where nothing comes any more. Counted are pings and not milliseconds, as the library's
 * `socketTimeout` does: a process that was itself kept waiting finds the answers after that, and drops no good connection.
 */
function dropWhenSilent(client: Redis, pingInterval: number): void {
  let timer: NodeJS.Timeout | undefined;
  client.on('ready', () => {
    clearInterval(timer);
    let bytesRead = -1;
    let missed = 0;
    timer = setInterval(() => {
      missed = client.stream.bytesRead === bytesRead ? missed + 1 : 0;
      bytesRead = client.stream.bytesRead;
      if (missed >= missedPings) client.stream.destroy(new Error('nothing comes on the connection any more'));
      // What follows from a missing answer stands above.
      else client.ping().catch(() => undefined);
    }, pingInterval);
  });
  client.on('close', () => clearInterval(timer));
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

/** Whether an error says that Redis holds as much as its `maxmemory` and refused a command that could add to it. */
export function isRedisFull(error: unknown): boolean {
  return error instanceof Error && error instanceof ReplyError && /^OOM\b/.test(error.message);
}

/** Whether Redis is full now, in the way that counts: it refuses scripts that do not say that they run nonetheless. */
export async function readRedisFull(client: Redis): Promise<boolean> {
  try {
    await client.eval('#!lua\nreturn 1', 0);
    return false;
  } catch (error) {
    if (isRedisFull(error)) return true;
    throw error;
  }
}
