import { Cluster, type Command, type Redis } from 'ioredis';
import { dropWhenSilent } from './drop-when-silent';
import { OutageLog } from './outage-log';
import { connectionOptions, defaultCommandTimeout, type RedisClientOptions } from './redis-client-options';
import type { RedisServers } from './redis-servers';
import { sendTogether } from './send-together';

interface ClusterClientOptions extends RedisClientOptions {
  servers: Extract<RedisServers, { kind: 'cluster' }>;
}

/** Milliseconds between two checks of the connections to all nodes. */
const lookInterval = 100;

/**
 * Connects to a Redis Cluster. The library resends a command after a redirection (MOVED, ASK), while a slot is migrated
 * (TRYAGAIN) and while a connection is being made, until the timeout of the command.
 */
export function connectToCluster(options: ClusterClientOptions, pingInterval: number): Cluster {
  const { servers, name, logger } = options;
  const cluster = new TimedCluster(servers.nodes, {
    enableOfflineQueue: false,
    // A pipeline fails as a whole if one of its slots has moved. Without pipelines, only the moved command is resent.
    enableAutoPipelining: false,
    // Enough for the timeout of a command: while a slot is migrated, each try may take three redirections.
    maxRedirections: 20,
    retryDelayOnTryAgain: 50,
    retryDelayOnFailover: 50,
    // A cluster that is down says so immediately.
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: 300,
    clusterRetryStrategy: (attempt) => Math.min(50 * attempt, 250),
    // Host names are not resolved here, so that they can be compared with the certificate and are resolved for each connection.
    dnsLookup: (host, done) => done(null, host),
    redisOptions: {
      ...connectionOptions(options, servers),
      // Connects immediately, also to replicas: a replica that is promoted is then already connected.
      lazyConnect: false,
      reconnectOnError: ({ message }) => /^(LOADING|MASTERDOWN)\b/.test(message),
    },
  });
  cluster.commandTimeout = options.commandTimeout ?? defaultCommandTimeout;
  // Any number of callers may wait for the connection.
  cluster.setMaxListeners(0);
  cluster.on('+node', (node: Redis) => {
    dropWhenSilent(node, pingInterval);
    guardSending(node);
    sendTogether(node);
  });
  followNodes(cluster, new OutageLog(name, logger));
  return cluster;
}

/** Limits the time of each command, with all redirections and the waits between them. */
class TimedCluster extends Cluster {
  /** Milliseconds. */
  commandTimeout = defaultCommandTimeout;

  override sendCommand(...[command, ...more]: Parameters<Cluster['sendCommand']>): unknown {
    command.setTimeout(this.commandTimeout);
    return super.sendCommand(command, ...more);
  }
}

/**
 * Corrects how the library resends commands on a connection. A command that has reached its timeout is not sent any more. If ASKING fails,
 * the error is handled, which would otherwise end the process; the command after it fails as well.
 */
function guardSending(node: Redis): void {
  const send = node.sendCommand.bind(node);
  node.sendCommand = (command: Command, ...more) => {
    if (command.isSettled) return command.promise;
    if (command.name === 'asking') command.promise.catch(() => undefined);
    return send(command, ...more);
  };
}

/**
 * Keeps a connection to every node. When one is lost, asks the others which nodes have its slots now, until all primaries are reachable,
 * and then emits `ready`. If no connection is left, the library starts again with the addresses of the settings.
 */
function followNodes(cluster: Cluster, outages: OutageLog): void {
  /** Whether a connection was lost since the nodes of the cluster were last read. */
  let lostNode = false;
  const look = () => {
    if (cluster.status !== 'ready') return;
    if (!lostNode && cluster.nodes('master').every(({ status }) => status === 'ready')) {
      if (outages.state === 'up') return;
      outages.noteConnection();
      cluster.emit('ready');
    } else if (lostNode || outages.state !== 'new') {
      outages.noteOutage();
      cluster.refreshSlotsCache();
    }
  };
  const timer = setInterval(look, lookInterval).unref();
  cluster.on('node error', (error: Error) => outages.noteError(error));
  cluster.on('error', (error: Error) => outages.noteError(error));
  cluster.on('-node', () => {
    lostNode = true;
  });
  cluster.on('refresh', () => {
    lostNode = false;
  });
  cluster.on('reconnecting', () => outages.noteOutage());
  cluster.on('end', () => clearInterval(timer));
}
