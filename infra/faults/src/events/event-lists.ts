import { setTimeout as sleep } from 'node:timers/promises';
import { eventListPortions, UnreadEvents } from '@multi-drm/slots';
import type { StageRedis } from '@multi-drm/test-kit/stage/stage-redis';
import type { Cluster, Redis } from 'ioredis';

const keys = eventListPortions.flat().map(({ key }) => key);

/** The lists of events in Redis that nobody has read yet. */
export class EventLists {
  private readonly client: Redis | Cluster;
  private readonly unread: UnreadEvents;

  constructor(redis: StageRedis) {
    this.client = redis.connect();
    // Redis may be stopped; the client connects again.
    this.client.on('error', () => undefined);
    this.unread = new UnreadEvents(this.client);
  }

  /** How many entries all lists have. */
  async count(): Promise<number> {
    return sum([...(await this.unread.lengths()).values()]);
  }

  /** How many bytes of memory all lists take. */
  async bytes(): Promise<number> {
    return sum(await Promise.all(keys.map(async (key) => (await this.client.memory('USAGE', key, 'SAMPLES', 0)) ?? 0)));
  }

  /** How many entries were dropped unread, as Redis has it. */
  async dropped(): Promise<number> {
    return sum((await this.unread.dropped()).map(({ count }) => count));
  }

  /** Resolves once all lists are empty. Rejects if that takes longer. */
  async untilRead(withinMilliseconds = 60_000): Promise<void> {
    const deadline = Date.now() + withinMilliseconds;
    for (let count = await this.count(); count > 0; count = await this.count()) {
      if (Date.now() > deadline) throw new Error(`${count} entries are still unread`);
      await sleep(100);
    }
  }

  close(): void {
    this.client.disconnect();
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
