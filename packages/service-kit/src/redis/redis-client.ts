import { Redis, type RedisOptions } from 'ioredis';
import { connectToCluster } from './cluster-client';
import { dropWhenSilent } from './drop-when-silent';
import { NamedPrimary, primariesNamedBy } from './named-primary';
import { OutageLog } from './outage-log';
import type { RedisClient } from './primaries';
import { readyWithoutInfo } from './ready-without-info';
import { connectionOptions, type RedisClientOptions } from './redis-client-options';
import type { RedisAddress, RedisServers } from './redis-servers';
import { sendTogether } from './send-together';

/** Milliseconds between pings on connections for requests. */
const requestPings = 250;
const subscriberPings = 1_000;

/**
 * Creates a Redis client for request paths: a command that cannot be sent, or is not answered in time, fails instead of
 * waiting in a queue. The client reconnects by itself, after a failover to the new primary, and also after a connection
 * went silent, which pings detect within 0.75 seconds. An outage is logged once when it begins and once when it ends.
 * Emits `ready` each time that all primaries are reachable again.
 */
export function createRedisClient(options: RedisClientOptions): RedisClient {
  const { servers } = options;
  if (servers.kind === 'cluster') return connectToCluster({ ...options, servers }, requestPings);
  return connect(options, servers, requestPings);
}

/**
 * Creates a Redis client for subscriptions; subscribe at each `ready`. A silent connection is detected within three
 * seconds: a shorter pause of Redis should not invalidate what a subscriber keeps in memory. A cluster sends every
 * message to all of its nodes, so one connection to any of them is enough.
 */
export function createRedisSubscriber(options: RedisClientOptions): Redis {
  const { servers } = options;
  if (servers.kind !== 'cluster') return connect(options, servers, subscriberPings);
  return connect(options, { ...servers, kind: 'any' }, subscriberPings);
}

type Target = Exclude<RedisServers, { kind: 'cluster' }> | AnyOf;

/** Several servers, of which the client uses the first one that it can reach. */
type AnyOf = Omit<Extract<RedisServers, { kind: 'cluster' }>, 'kind'> & { kind: 'any' };

function connect(clientOptions: RedisClientOptions, target: Target, pingInterval: number): Redis {
  const primary = target.kind === 'sentinel' ? new NamedPrimary({ ask: () => primariesNamedBy(target) }) : undefined;
  const leaveReplaced = async (): Promise<void> => {
    if (!(await primary?.isReplaced()) || client.status !== 'ready') return;
    outages.noteError(new Error('the Sentinels name another primary'));
    client.disconnect(true);
    clientOptions.onReplaced?.();
  };
  const options = {
    ...connectionOptions(clientOptions, target),
    // Its failure would be unhandled and end the process.
    autoResubscribe: false,
    enableOfflineQueue: false,
    retryStrategy: (attempt: number) => Math.min(50 * attempt, 250),
    // A replica after a failover, or a server that is still loading its data: reconnect, maybe to another one.
    reconnectOnError: ({ message }: Error) => {
      // Another primary may have been promoted. If it is still the same one, a new connection would only make requests fail.
      if (/^NOREPLICAS\b/.test(message)) void leaveReplaced();
      return /^(READONLY|LOADING|MASTERDOWN)\b/.test(message);
    },
    ...locationOf(target),
    ...(primary === undefined ? {} : { natMap: noting(primary) }),
  };
  const client = target.kind === 'single' ? new Redis(target.url, options) : new Redis(options);
  // Any number of callers may wait for the connection.
  client.setMaxListeners(0);
  readyWithoutInfo(client, clientOptions);
  dropWhenSilent(client, pingInterval);
  sendTogether(client);
  if (target.kind === 'any') followAny(client, target.nodes);
  const outages = new OutageLog(clientOptions.name, clientOptions.logger);
  client.on('sentinelError', (error: Error) => outages.noteError(error));
  client.on('error', (error: Error) => {
    outages.noteError(error);
    // While no Sentinel names a primary, the client does not begin to reconnect.
    if (client.status === 'connecting') outages.noteOutage();
  });
  client.on('reconnecting', () => outages.noteOutage());
  client.on('ready', () => outages.noteConnection());
  return client;
}

function locationOf(target: Target): Omit<RedisOptions, 'replyMapping'> {
  if (target.kind === 'single') return {};
  if (target.kind === 'any') return { ...target.nodes[0] };
  const { username, password } = target.sentinelCredentials;
  return {
    sentinels: target.sentinels,
    name: target.primaryName,
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    ...(target.tls === undefined ? {} : { sentinelTLS: target.tls, enableTLSForSentinelMode: true }),
    // Uses only the Sentinels that the operator has named: others may have addresses that cannot be reached from here.
    updateSentinels: false,
    // Shorter than for one server, because one attempt may have to wait for a silent Sentinel, then for another one, and for a silent
    // former primary.
    connectTimeout: 300,
    sentinelCommandTimeout: 300,
    sentinelRetryStrategy: (attempt) => Math.min(50 * attempt, 250),
    retryStrategy: () => 100,
  };
}

/** Notes which primary a Sentinel names when a client connects. Does not change the address. */
function noting(primary: NamedPrimary) {
  return (address: string) => {
    primary.note(address);
    return null;
  };
}

/** Goes to the next address with each attempt to connect. */
function followAny(client: Redis, addresses: readonly RedisAddress[]): void {
  let next = 1;
  client.on('reconnecting', () => {
    Object.assign(client.options, addresses[next % addresses.length]);
    next += 1;
  });
}
