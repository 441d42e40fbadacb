import { setTimeout as sleep } from 'node:timers/promises';
import { startRedisCluster, type TestClusterNode, type TestRedisCluster } from '@multi-drm/test-kit';
import type { StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import { Cluster, Redis } from 'ioredis';

/** A Redis Cluster of three primaries, each with a replica, which is promoted when its primary has been silent for two seconds. */
export class ClusterRedis implements StageRedis {
  private killed: TestClusterNode | undefined;

  private constructor(private readonly cluster: TestRedisCluster) {}

  static async start(): Promise<ClusterRedis> {
    return new ClusterRedis(await startRedisCluster({ withReplicas: true }));
  }

  get settings(): Record<string, string> {
    return this.cluster.settings;
  }

  /** Kills the primary that holds the hash slot of the key `one`. */
  async killPrimary(): Promise<void> {
    this.killed = await this.primaryOf(9_084);
    this.killed.child.process.kill('SIGKILL');
  }

  /** Resolves as soon as a replica of the killed primary accepts writes. */
  async promoted(): Promise<void> {
    const others = this.cluster.nodes.filter((node) => node !== this.killed);
    for (;;) {
      for (const node of others) if ((await this.cluster.ask(node, 'SET one 1')).startsWith('+OK')) return;
      await sleep(5);
    }
  }

  connect(): Cluster {
    return new Cluster(this.cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
  }

  connectToReplicas(): Cluster[] {
    const nodes = this.cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
    return [new Cluster(nodes, { scaleReads: 'slave' })];
  }

  /** Moves hash slots of one primary to the next as `redis-cli --cluster reshard` does, but one key at a time. */
  async migrate(from: number, to: number): Promise<MigratedSlots> {
    const targetNode = await this.primaryOf(5_461);
    const [source, target] = [new Redis((await this.primaryOf(from)).url), new Redis(targetNode.url)];
    const migrated = { slots: 0, keys: 0, sessions: 0 };
    try {
      const [sourceId, targetId] = [await source.cluster('MYID'), await target.cluster('MYID')];
      for (let slot = from; slot <= to; slot += 1) {
        await target.cluster('SETSLOT', slot, 'IMPORTING', sourceId);
        await source.cluster('SETSLOT', slot, 'MIGRATING', targetId);
        for (let key = await anyKey(source, slot); key !== undefined; key = await anyKey(source, slot)) {
          const sessions = key.startsWith('active-sessions:') ? await source.zcard(key) : 0;
          const answer: string = await source.migrate('127.0.0.1', targetNode.port, key, 0, 5_000);
          // `NOKEY`: it was deleted meanwhile.
          if (answer !== 'OK') continue;
          migrated.keys += 1;
          migrated.sessions += sessions;
        }
        await target.cluster('SETSLOT', slot, 'NODE', targetId);
        await source.cluster('SETSLOT', slot, 'NODE', targetId);
        migrated.slots += 1;
      }
      return migrated;
    } finally {
      source.disconnect();
      target.disconnect();
    }
  }

  close(): Promise<void> {
    return this.cluster.stop();
  }

  /** The node that holds a hash slot now: any replica may have been promoted. */
  private async primaryOf(slot: number): Promise<TestClusterNode> {
    const client = new Redis(this.cluster.url);
    try {
      const ranges = await client.cluster('SLOTS');
      const range = ranges.find(([first, last]) => first <= slot && slot <= last);
      const node = this.cluster.nodes.find(({ port }) => port === range?.[2]?.[1]);
      if (node === undefined) throw new Error(`no node of the cluster holds the hash slot ${slot}`);
      return node;
    } finally {
      client.disconnect();
    }
  }
}

/** The numbers of hash slots that were moved, of the keys in them, and of the active sessions. */
export interface MigratedSlots {
  slots: number;
  keys: number;
  sessions: number;
}

async function anyKey(node: Redis, slot: number): Promise<string | undefined> {
  const [key] = await node.cluster('GETKEYSINSLOT', slot, 1);
  return key;
}
