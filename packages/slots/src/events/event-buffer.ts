import { Cluster, type Redis, type Result } from 'ioredis';
import { requestEventLists, slotEventsKey } from './event-keys';

/** Hash: number of a group of buckets → bytes that the lists of events of its slots take; and `bound` → the bound. */
const sizesKey = 'slot-events-bytes';

/**
 * The part of the bound that the list of one bucket may take while all lists together are below the bound. It is large, because one subject
 * can be a whole service.
 */
const partBelowBound = 1 / 16;

/** The part while they are above the bound: about an equal share for each bucket. */
const partAboveBound = 1 / 1_000;

/**
 * The part of the bound that all lists of request events may take in addition. It is separate, so that a flood of refusals cannot displace
 * the events of slots.
 */
const partOfRequests = 1 / 4;

/** Returns how many bytes some lists take. */
const sizeScript = `#!lua flags=no-writes
local bytes = 0
for _, key in ipairs(KEYS) do
  bytes = bytes + (redis.call('MEMORY', 'USAGE', key) or 0)
end
return bytes`;

/** Notes a size and the bound, also on a full Redis, where ends are still appended. */
const noteScript = `#!lua flags=allow-oom
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], 'bound', ARGV[3])`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    eventListsSize(numberOfKeys: number, ...keys: string[]): Result<number, Context>;
    noteEventListsSize(key: string, group: number, bytes: number, bound: number): Result<number, Context>;
  }
}

/**
 * Knows how much memory of Redis the unread events take. The process that sweeps a group of buckets measures their lists, and every process
 * reads the sum. So within about two seconds, all processes agree on how much each list may take.
 */
export class EventBuffer {
  private bound: number;
  private isAboveBound = false;

  /**
   * `ownBound`: how many bytes the events of slots may take; 0: no events are appended; null: as playback has it, once `refresh` was
   * called.
   */
  constructor(
    private readonly client: Redis | Cluster,
    private readonly ownBound: number | null,
  ) {
    this.bound = ownBound ?? 0;
    client.defineCommand('eventListsSize', { lua: sizeScript });
    client.defineCommand('noteEventListsSize', { numberOfKeys: 1, lua: noteScript });
  }

  /** Returns how many bytes the list of one bucket may take now; 0: none are appended. */
  readonly bytesOfBucket = (): number => Math.floor(this.bound * (this.isAboveBound ? partAboveBound : partBelowBound));

  /** How many bytes one list of request events may take; 0: none are appended. */
  get bytesOfRequestList(): number {
    return Math.floor((this.bound * partOfRequests) / requestEventLists);
  }

  /** Measures the lists of some buckets for every process. Rejects if Redis is unavailable. */
  async measure(group: number, buckets: readonly number[]): Promise<void> {
    const size = this.bound === 0 ? 0 : await this.sizeOf(buckets.map(slotEventsKey));
    await this.client.noteEventListsSize(sizesKey, group, size, this.bound);
  }

  /** Learns how much the lists of all buckets took when they were last measured. Rejects if Redis is unavailable. */
  async refresh(): Promise<void> {
    const { bound = 0, ...sizes } = await this.client.hgetall(sizesKey);
    if (this.ownBound === null) this.bound = Number(bound);
    this.isAboveBound = Object.values(sizes).reduce((sum, size) => sum + Number(size), 0) > this.bound;
  }

  private async sizeOf(keys: string[]): Promise<number> {
    if (!(this.client instanceof Cluster)) return this.client.eventListsSize(keys.length, ...keys);
    // Their buckets may be on different nodes, which one script cannot read.
    const sizes = await Promise.all(keys.map((key) => this.client.eventListsSize(1, key)));
    return sizes.reduce((sum, size) => sum + size, 0);
  }
}
