import { bucketsOfDeployment } from '@multi-drm/contracts';
import { portions } from '@multi-drm/service-kit';
import { Cluster, type Redis, type Result } from 'ioredis';
import {
  requestEventLists,
  requestEventsDroppedKey,
  requestEventsKey,
  slotEventsDroppedKey,
  slotEventsKey,
} from './event-keys';

/** A list of events in Redis. */
export interface EventList {
  /** What its entries are: `readSlotEvent` or `readRequestEvents` reads them. */
  kind: 'slot' | 'request';
  key: string;
  /** The hash that counts what was dropped of it. */
  droppedKey: string;
}

/** Entries of a list that were dropped, because the list was full before they were read. */
export interface DroppedEvents {
  list: EventList;
  count: number;
  /** Microseconds since 1970. */
  from: number;
  to: number;
}

const slotLists: EventList[] = Array.from({ length: bucketsOfDeployment }, (_, bucket) => ({
  kind: 'slot',
  key: slotEventsKey(bucket),
  droppedKey: slotEventsDroppedKey(bucket),
}));

const requestLists: EventList[] = Array.from({ length: requestEventLists }, (_, list) => ({
  kind: 'request',
  key: requestEventsKey(list),
  droppedKey: requestEventsDroppedKey(list),
}));

/** The lists of a deployment in portions that are read together. A portion has lists of one kind. */
export const eventListPortions: EventList[][] = [...portions(slotLists, 64), requestLists];

const eventLists = eventListPortions.flat();

/** How many keys one script looks at. */
const keysAtOnce = 128;

/** Returns the place and the length of every list that is not empty, one after the other. */
const lengthsScript = `#!lua flags=no-writes
local found = {}
for place, key in ipairs(KEYS) do
  local length = redis.call('LLEN', key)
  if length > 0 then
    table.insert(found, place)
    table.insert(found, length)
  end
end
return found`;

/**
 * Removes the first entries of a list if the first one is still the same. Otherwise another reader has removed them, or they were dropped
 * because the list was full.
 */
const removeScript = `#!lua flags=allow-oom
if redis.call('LINDEX', KEYS[1], 0) ~= ARGV[1] then
  return 0
end
redis.call('LTRIM', KEYS[1], ARGV[2], -1)
return 1`;

/** Returns the place of every hash that exists, and its count, from and to. */
const droppedScript = `#!lua flags=no-writes
local found = {}
for place, key in ipairs(KEYS) do
  local dropped = redis.call('HMGET', key, 'count', 'from', 'to')
  if dropped[1] then
    table.insert(found, { place, dropped[1], dropped[2], dropped[3] })
  end
end
return found`;

/** Removes a hash if its count is still the same. */
const forgetScript = `#!lua flags=allow-oom
if redis.call('HGET', KEYS[1], 'count') ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
return 1`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    eventListLengths(numberOfKeys: number, ...keys: string[]): Result<number[], Context>;
    removeEvents(key: string, head: Buffer, count: number): Result<number, Context>;
    droppedEvents(
      numberOfKeys: number,
      ...keys: string[]
    ): Result<[place: number, count: string, from: string, to: string][], Context>;
    forgetDroppedEvents(key: string, count: number): Result<number, Context>;
  }
}

/**
 * The events in Redis that are not stored in PostgreSQL yet. Reading removes nothing. All methods reject if Redis is
 * unavailable.
 */
export class UnreadEvents {
  private readonly client: Redis | Cluster;

  constructor(client: Redis | Cluster) {
    this.client = client;
    client.defineCommand('eventListLengths', { lua: lengthsScript });
    client.defineCommand('removeEvents', { numberOfKeys: 1, lua: removeScript });
    client.defineCommand('droppedEvents', { lua: droppedScript });
    client.defineCommand('forgetDroppedEvents', { numberOfKeys: 1, lua: forgetScript });
  }

  /** Returns the number of entries of each list that is not empty. */
  async lengths(): Promise<Map<EventList, number>> {
    if (this.client instanceof Cluster) {
      const lengths = await Promise.all(
        eventLists.map(async (list) => [list, await this.client.llen(list.key)] as const),
      );
      return new Map(lengths.filter(([, length]) => length > 0));
    }
    const found = await this.inPortions(async (lists) => {
      const reply = await this.client.eventListLengths(lists.length, ...lists.map(({ key }) => key));
      return portions(reply, 2).flatMap(([place = 0, length = 0]) => {
        const list = lists[place - 1];
        return list === undefined ? [] : [[list, length] as const];
      });
    });
    return new Map(found);
  }

  /** Returns the oldest entries of a list, at most this many, oldest first. */
  async read(list: EventList, most: number): Promise<Buffer[]> {
    return this.client.lrangeBuffer(list.key, 0, most - 1);
  }

  /** Removes these entries, the oldest of a list. Removes nothing if the list no longer begins with the first of them. */
  async remove(list: EventList, entries: readonly Buffer[]): Promise<void> {
    const [head] = entries;
    if (head !== undefined) await this.client.removeEvents(list.key, head, entries.length);
  }

  /** Returns what was dropped of each list since it was last forgotten. */
  async dropped(): Promise<DroppedEvents[]> {
    const fromReply = (lists: EventList[], reply: [number, ...string[]][]) =>
      reply.flatMap(([place, ...numbers]) => {
        const list = lists[place - 1];
        const [count = 0, from = 0, to = 0] = numbers.map(Number);
        return list === undefined ? [] : [{ list, count, from, to }];
      });
    if (this.client instanceof Cluster) {
      const found = await Promise.all(
        eventLists.map(async (list) => fromReply([list], await this.client.droppedEvents(1, list.droppedKey))),
      );
      return found.flat();
    }
    return this.inPortions(async (lists) =>
      fromReply(lists, await this.client.droppedEvents(lists.length, ...lists.map(({ droppedKey }) => droppedKey))),
    );
  }

  /** Forgets what was dropped of a list, unless more was dropped since. */
  async forgetDropped({ list, count }: DroppedEvents): Promise<void> {
    await this.client.forgetDroppedEvents(list.droppedKey, count);
  }

  private async inPortions<Found>(read: (lists: EventList[]) => Promise<Found[]>): Promise<Found[]> {
    return (await Promise.all(portions(eventLists, keysAtOnce).map(read))).flat();
  }
}
