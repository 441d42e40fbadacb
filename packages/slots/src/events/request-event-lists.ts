import type { Cluster, Redis, Result } from 'ioredis';
import { requestEventLists, requestEventsDroppedKey, requestEventsKey } from './event-keys';
import { packRequestEvents, type RequestEvent } from './request-events';

/**
 * Appends an entry to a list. If the list would take more than it may, drops its oldest entries first, and counts their events with the
 * times of the first and the last of them, in microseconds. Without a flag: a full Redis refuses it before it runs.
 *   KEYS: the list, what was dropped of it. ARGV: the entry, how many bytes the list may take
 */
const appendScript = `#!lua
local list, dropped, entry, most = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2])
local function bytes()
  return redis.call('MEMORY', 'USAGE', list, 'SAMPLES', 0) or 0
end
-- The events of an entry of this version, with the places of packRequestEvents.
local function eventsOf(packed)
  local isPacked, values = pcall(cmsgpack.unpack, packed)
  return isPacked and type(values) == 'table' and values[1] == 1 and values[2] or {}
end
local function microseconds(event)
  return string.format('%.0f', event[6] * 1000)
end
local taken = bytes()
while taken > 0 and taken + #entry > most do
  local events = eventsOf(redis.call('LPOP', list))
  for _, event in ipairs(events) do
    redis.call('HINCRBY', dropped, 'count', event[7])
  end
  if #events > 0 then
    redis.call('HSETNX', dropped, 'from', microseconds(events[1]))
    redis.call('HSET', dropped, 'to', microseconds(events[#events]))
  end
  taken = bytes()
end
redis.call('RPUSH', list, entry)
return 0`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    appendRequestEvents(list: string, dropped: string, entry: Buffer, mostBytes: number): Result<number, Context>;
  }
}

interface RequestEventListsOptions {
  client: Redis | Cluster;
  /** How many bytes one list may take. */
  bytesOfList: number;
  /** A number from 0 up to 1. */
  random: () => number;
}

/** The lists in which playback processes leave request events for the reader. */
export class RequestEventLists {
  constructor(private readonly options: RequestEventListsOptions) {
    options.client.defineCommand('appendRequestEvents', { numberOfKeys: 2, lua: appendScript });
  }

  /** Appends events as one entry of some list. Rejects if Redis is unavailable, or full. */
  async append(events: RequestEvent[]): Promise<void> {
    const { client, bytesOfList, random } = this.options;
    const list = Math.floor(random() * requestEventLists);
    const entry = packRequestEvents(events);
    await client.appendRequestEvents(requestEventsKey(list), requestEventsDroppedKey(list), entry, bytesOfList);
  }
}
