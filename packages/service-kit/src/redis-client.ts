import { Redis, ReplyError } from 'ioredis';
import type { Logger } from './logger';

interface RedisClientOptions {
  url: string;
  /** Sent to Redis (CLIENT SETNAME) and logged. */
  name: string;
  logger: Logger;
  /**
   * Timeout of each command once it is sent, in milliseconds. With automatic pipelining, a command may wait as long
   * again for the previous pipeline.
   */
  commandTimeout?: number;
}

/** How many pings in a row may go unanswered before the connection is closed. */
const missedPings = 2;

/**
 * Creates a Redis client for request paths: a command that cannot be sent, or is not answered in time, fails instead of
 * waiting in a queue. The client reconnects by itself, also after a connection went silent, which pings detect within
 * 0.75 seconds. An outage is logged once when it begins and once when it ends.
 */
export function createRedisClient(options: RedisClientOptions): Redis {
  return connect(options, 250);
}

/**
 * Creates a Redis client for subscriptions; subscribe at each `ready`. A silent connection is detected within three
 * seconds: a shorter pause of Redis should not invalidate what a subscriber keeps in memory.
 */
export function createRedisSubscriber(options: RedisClientOptions): Redis {
  return connect(options, 1_000);
}

function connect({ url, name, logger, commandTimeout = 300 }: RedisClientOptions, pingInterval: number): Redis {
  const client = new Redis(url, {
    connectionName: name,
    commandTimeout,
    // Together with the longest retry delay, Redis is found within a second of being back or having loaded its data.
    connectTimeout: 600,
    maxLoadingRetryTime: 200,
    // How long to wait for the other end to close; a silent one never does.
    disconnectTimeout: 100,
    // Its failure would be unhandled and end the process.
    autoResubscribe: false,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * attempt, 250),
    // A replica after a failover, or a server that is still loading its data: reconnect, maybe to another one.
    reconnectOnError: ({ message }) => /^(READONLY|LOADING|MASTERDOWN)\b/.test(message),
  });
  // Any number of callers may wait for the connection.
  client.setMaxListeners(0);
  dropWhenSilent(client, pingInterval);
  let isDown = false;
  let lastError: Error | undefined;
  client.on('error', (error: Error) => {
    lastError = error;
  });
  client.on('reconnecting', () => {
    if (!isDown) logger.warn('Redis is unreachable', { client: name, error: lastError });
    isDown = true;
  });
  client.on('ready', () => {
    logger.info('Redis is connected', { client: name });
    isDown = false;
    lastError = undefined;
  });
  return client;
}

/**
 * Pings regularly and closes the connection when nothing is received. Counts pings rather than milliseconds, unlike the
 * library's `socketTimeout`: after the process itself was delayed, it finds the pending replies and keeps the
 * connection.
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
      if (missed >= missedPings) client.stream.destroy(new Error('no data received on the connection'));
      // Missing replies are handled above.
      else client.ping().catch(() => undefined);
    }, pingInterval);
  });
  client.on('close', () => clearInterval(timer));
}

const unavailableReplies =
  /^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|OOM|BUSY|NOAUTH|WRONGPASS|UNBLOCKED)\b/;
const unavailableMessages =
  /Command timed out|Command aborted|Connection is closed|isn't writeable|max retries per request|Reached the max retries|connect ETIMEDOUT/i;

/** Whether the command was never sent, so that Redis cannot have executed it. */
export function wasNeverSent(error: unknown): boolean {
  return error instanceof Error && /isn't writeable/.test(error.message);
}

/** Whether Redis is unreachable or temporarily unable to serve, as opposed to an invalid command. */
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

/** Whether Redis has reached its `maxmemory` and rejected a command that could use more. */
export function isRedisFull(error: unknown): boolean {
  return error instanceof Error && error instanceof ReplyError && /^OOM\b/.test(error.message);
}

/** Whether Redis rejects writes because it is full. It then refuses scripts that are not flagged to run anyway. */
export async function readRedisFull(client: Redis): Promise<boolean> {
  try {
    await client.eval('#!lua\nreturn 1', 0);
    return false;
  } catch (error) {
    if (isRedisFull(error)) return true;
    throw error;
  }
}
