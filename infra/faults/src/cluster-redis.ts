import { setTimeout as sleep } from 'node:timers/promises';
import { startRedisCluster, type TestClusterNode, type TestRedisCluster } from '@multi-drm/test-kit';
import type { StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import { Cluster, Redis } from 'ioredis';

/** A Redis Cluster of three primaries, each with a replica, which is promoted when its primary has been silent for two seconds. */
export class ClusterRedis implements StageRedis {
  private constructor(private readonly cluster: TestRedisCluster) {}

  static async start(): Promise<ClusterRedis> {
    return new ClusterRedis(await startRedisCluster({ withReplicas: true }));
  }

  get settings(): Record<string, string> {
    return this.cluster.settings;
  }

  /** Kills the primary of the hash slots 5461 to 10922. */
  killPrimary(): void {
    this.node(1).child.process.kill('SIGKILL');
  }

  /** Resolves as soon as the replica of the killed primary accepts writes. */
  async promoted(): Promise<void> {
    // The hash slot of this key is 9084.
    while (!(await this.cluster.ask(this.node(4), 'SET one 1')).startsWith('+OK')) await sleep(5);
  }

  connect(): Cluster {
    return new Cluster(this.cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
  }

  connectToReplicas(): Cluster[] {
    const nodes = this.cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
    return [new Cluster(nodes, { scaleReads: 'slave' })];
  }

  /** Moves hash slots from the first primary to the second as `redis-cli --cluster reshard` does, but one key at a time. */
  async migrate(from: number, to: number): Promise<MigratedSlots> {
    const [source, target] = [new Redis(this.node(0).url), new Redis(this.node(1).url)];
    const migrated = { slots: 0, keys: 0, sessions: 0 };
    try {
      const [sourceId, targetId] = [await source.cluster('MYID'), await target.cluster('MYID')];
      for (let slot = from; slot <= to; slot += 1) {
        await target.cluster('SETSLOT', slot, 'IMPORTING', sourceId);
        await source.cluster('SETSLOT', slot, 'MIGRATING', targetId);
        for (let key = await anyKey(source, slot); key !== undefined; key = await anyKey(source, slot)) {
          const sessions = key.startsWith('active-sessions:') ? await source.zcard(key) : 0;
          const answer: string = await source.migrate('127.0.0.1', this.node(1).port, key, 0, 5_000);
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

  private node(index: number): TestClusterNode {
    const node = this.cluster.nodes[index];
    if (node === undefined) throw new Error(`the cluster has no node ${index}`);
    return node;
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
