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

const defaultCommandTimeout = 300;

/** How often a connection is pinged, in milliseconds, so that its silence is noticed also when nothing else is sent. */
const pingInterval = 1_000;

/**
 * A Redis client for request paths: a command that cannot be sent or answered in time fails at once instead of waiting
 * in a queue. The connection comes back by itself, also where it broke without a word: no answer for as long as a
 * command may wait with the pipeline before it. An outage is logged once when it begins and once when it ends.
 */
export function createRedisClient(options: RedisClientOptions): Redis {
  return connect(options, 2 * (options.commandTimeout ?? defaultCommandTimeout));
}

/**
 * A Redis client to subscribe with, at each `ready`. Its connection is taken for broken after two pings without an answer:
 * not after one, since what a subscriber keeps in memory goes with it.
 */
export function createRedisSubscriber(options: RedisClientOptions): Redis {
  return connect(options, pingInterval + (options.commandTimeout ?? defaultCommandTimeout));
}

/** `silenceTimeout`: for so many milliseconds nothing may come on a connection on which an answer is waited for. */
function connect(
  { url, name, logger, commandTimeout = defaultCommandTimeout }: RedisClientOptions,
  silenceTimeout: number,
): Redis {
  const client = new Redis(url, {
    connectionName: name,
    commandTimeout,
    socketTimeout: silenceTimeout,
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
  keepPinging(client);
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

function keepPinging(client: Redis): void {
  let timer: NodeJS.Timeout | undefined;
  client.on('ready', () => {
    clearInterval(timer);
    // What follows from a missing answer is the time-out of the connection.
    timer = setInterval(() => void client.ping().catch(() => undefined), pingInterval);
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
