import { join } from 'node:path';
import { findFreePort, localHost } from '@multi-drm/local/ports';
import { askRedis, type RedisServer } from '@multi-drm/local/redis-server';
import { type RedisSecurity, secureRedis } from './secured-redis';
import { startTestRedis, type TestFolder } from './test-servers';
import { until } from './until';

/** The range of the 16384 hash slots that each primary holds. */
const shares = ['0 5460', '5461 10922', '10923 16383'];

export interface TestClusterOptions {
  /** Whether each primary has a replica, which is promoted when the primary has been silent for two seconds. */
  withReplicas?: boolean;
  /** Whether clients need encryption, a user and a password. */
  secured?: boolean;
}

export interface TestCluster {
  /** The settings of a service that uses the cluster; they name its three primaries. */
  settings: Record<string, string>;
  nodes: TestClusterNode[];
  /** Of the user `default`; undefined: none. */
  adminPassword: string | undefined;
  /** Sends commands to a node, as an administrator; resolves to its raw replies. */
  ask(node: TestClusterNode, ...commands: string[]): Promise<string>;
}

/** Three primaries come first. */
export interface TestClusterNode extends RedisServer {
  tlsPort: number;
  clusterPort: number;
}

/** Starts a Redis Cluster with three primaries; resolves once all nodes know each other. It stops with the folder's other servers. */
export async function startTestCluster(folder: TestFolder, options: TestClusterOptions = {}): Promise<TestCluster> {
  const security = options.secured ? secureRedis(folder) : undefined;
  const names = [...shares, ...(options.withReplicas ? shares : [])].map((_, index) => `redis-node-${index}`);
  const nodes = await Promise.all(names.map((name) => startNode(folder, name, options, security)));
  const ask = ({ port }: TestClusterNode, ...commands: string[]) =>
    askRedis(port, [...(security === undefined ? [] : [`AUTH ${security.adminPassword}`]), ...commands]);
  const send = async (node: TestClusterNode, ...commands: string[]) => {
    const answer = await ask(node, ...commands);
    if (!/^(\+OK\r\n)+$/.test(answer)) throw new Error(`unexpected reply of a Redis Cluster node: ${answer}`);
  };
  const primaries = nodes.slice(0, shares.length);
  for (const [index, node] of primaries.entries()) {
    // Different epochs, because nodes with equal ones would first have to resolve the conflict.
    await send(node, `CLUSTER ADDSLOTSRANGE ${shares[index]}`, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`);
  }
  const [first, ...others] = nodes as [TestClusterNode, ...TestClusterNode[]];
  await send(first, ...others.map((node) => `CLUSTER MEET ${localHost} ${node.port} ${node.clusterPort}`));
  const isReady = async (node: TestClusterNode) => {
    const answer = await ask(node, 'CLUSTER INFO', 'INFO replication');
    const expected = ['cluster_state:ok', 'cluster_slots_ok:16384', `cluster_known_nodes:${nodes.length}`];
    if (!primaries.includes(node) && answer.includes('role:slave')) expected.push('master_link_status:up');
    return expected.every((line) => answer.includes(`${line}\r\n`));
  };
  const allReady = () =>
    until(
      async () => (await Promise.all(nodes.map(isReady))).every(Boolean),
      'the nodes of the Redis Cluster did not find each other',
    );
  await allReady();
  for (const [index, replica] of nodes.slice(shares.length).entries()) {
    const id = /^([0-9a-f]{40})\r$/m.exec(await ask(primaries[index] as TestClusterNode, 'CLUSTER MYID'))?.[1];
    await send(replica, `CLUSTER REPLICATE ${id}`);
  }
  await allReady();
  return { settings: settingsOf(primaries, security), nodes, adminPassword: security?.adminPassword, ask };
}

function settingsOf(nodes: TestClusterNode[], security: RedisSecurity | undefined): Record<string, string> {
  const address = ({ port, tlsPort }: TestClusterNode) =>
    security === undefined ? `redis://${localHost}:${port}` : `rediss://${localHost}:${tlsPort}`;
  return {
    REDIS_CLUSTER: nodes.map(address).join(','),
    ...security?.settings,
  };
}

async function startNode(
  folder: TestFolder,
  name: string,
  { withReplicas = false }: TestClusterOptions,
  security: RedisSecurity | undefined,
): Promise<TestClusterNode> {
  for (let attempt = 1; ; attempt += 1) {
    const [clusterPort, tlsPort] = [await findFreePort(), await findFreePort()];
    const directives = [
      ...(withReplicas ? ['cluster-node-timeout 2000', 'cluster-require-full-coverage no'] : []),
      ...(security === undefined
        ? []
        : [...security.directives(tlsPort), ...security.dataDirectives, 'tls-cluster yes', 'tls-replication yes']),
    ];
    const options = { appendOnly: false, dataFolder: join(folder.path, `${name}-${attempt}`), clusterPort, directives };
    try {
      const server = await startTestRedis(folder, { ...options, password: security?.adminPassword });
      return { ...server, clusterPort, tlsPort };
    } catch (error) {
      // A free port may be taken by another program before the node listens on it.
      if (attempt === 3 || !String(error).includes('Address already in use')) throw error;
    }
  }
}
