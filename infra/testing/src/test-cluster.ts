import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, localHost } from '@multi-drm/local/ports';
import { askRedis } from '@multi-drm/local/redis-server';
import { startTestRedis, type TestFolder } from './test-servers';

/** The range of the 16384 hash slots that each node holds. */
const shares = ['0 5460', '5461 10922', '10923 16383'];

const readyWithinMilliseconds = 60_000;

interface Node {
  url: string;
  port: number;
  clusterPort: number;
}

/**
 * Starts a Redis Cluster with three nodes, without replicas or a password, and resolves to the URL of one of them once they all know
 * each other. It stops with the folder's other servers.
 */
export async function startTestCluster(folder: TestFolder): Promise<string> {
  const nodes = await Promise.all(shares.map((_, index) => startNode(folder, `redis-node-${index}`)));
  for (const [index, { port }] of nodes.entries()) {
    // Different epochs, because nodes with equal ones would first have to resolve the conflict.
    await send(port, `CLUSTER ADDSLOTSRANGE ${shares[index]}`, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`);
  }
  const [first, ...others] = nodes as [Node, ...Node[]];
  await send(first.port, ...others.map((node) => `CLUSTER MEET ${localHost} ${node.port} ${node.clusterPort}`));

  const deadline = Date.now() + readyWithinMilliseconds;
  while (!(await Promise.all(nodes.map(knowsAll))).every(Boolean)) {
    if (Date.now() > deadline) throw new Error('the nodes of the Redis Cluster did not find each other');
    await sleep(50);
  }
  return first.url;
}

async function startNode(folder: TestFolder, name: string): Promise<Node> {
  for (let attempt = 1; ; attempt += 1) {
    const clusterPort = await findFreePort();
    const dataFolder = join(folder.path, `${name}-${attempt}`);
    try {
      const { url, port } = await startTestRedis(folder, { appendOnly: false, dataFolder, clusterPort });
      return { url, port, clusterPort };
    } catch (error) {
      // A free port may be taken by another program before the node listens on it.
      if (attempt === 3 || !String(error).includes('Address already in use')) throw error;
    }
  }
}

async function send(port: number, ...commands: string[]): Promise<void> {
  const answer = await askRedis(port, commands);
  if (answer !== '+OK\r\n'.repeat(commands.length + 1))
    throw new Error(`unexpected reply of a Redis Cluster node: ${answer}`);
}

async function knowsAll({ port }: Node): Promise<boolean> {
  const answer = await askRedis(port, ['CLUSTER INFO']);
  return ['cluster_state:ok', 'cluster_slots_ok:16384', 'cluster_known_nodes:3'].every((line) =>
    answer.includes(`${line}\r\n`),
  );
}
