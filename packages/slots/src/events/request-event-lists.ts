import type { Cluster, Redis, Result } from 'ioredis';
import { requestEventLists, requestEventsDroppedKey, requestEventsKey } from './event-keys';
import { packRequestEvents, type RequestEvent } from './request-events';

/**
 * Appends an entry to a list. If the list would take more than it may, drops its oldest entries first, and counts their events with the
 * times of the first and the last of them, in microseconds. Measuring walks the list, so many entries are dropped together: an eighth more
 * than must be. Entries differ in size, so this may be repeated. The script has no flag, so a full Redis refuses it before it runs.
 *   KEYS: the list, what was dropped of it. ARGV: the entry, how many bytes the list may take
 */
const appendScript = `#!lua
local list, dropped, entry, most = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2])
local function bytes()
  return redis.call('MEMORY', 'USAGE', list, 'SAMPLES', 0) or 0
end
local function text(number)
  return string.format('%.0f', number)
end
local function drop(count)
  local events, from, to = 0, nil, nil
  for _, packed in ipairs(redis.call('LRANGE', list, 0, count - 1)) do
    -- Of an entry as packRequestEvents makes it: the version, a nonce, how many events it counts, and their first and last time.
    local isPacked, _, version, _, counted, first, last = pcall(cmsgpack.unpack_limit, packed, 5, 0)
    if isPacked and version == 1 then
      events, from, to = events + counted, from or first, last
    end
  end
  redis.call('LTRIM', list, count, -1)
  if from then
    redis.call('HINCRBY', dropped, 'count', text(events))
    redis.call('HSETNX', dropped, 'from', text(from))
    redis.call('HSET', dropped, 'to', text(to))
  end
end
local taken = bytes()
while taken > 0 and taken + #entry > most do
  local length = redis.call('LLEN', list)
  drop(math.min(length, math.ceil(length * (1 - (most * 7 / 8 - #entry) / taken))))
  taken = bytes()
end
redis.call('RPUSH', list, entry)
return 0`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    appendRequestEvents(list: string, dropped: string, entry: Buffer, maximumBytes: number): Result<number, Context>;
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
    const entry = packRequestEvents(events, Math.floor(random() * 2 ** 48));
    await client.appendRequestEvents(requestEventsKey(list), requestEventsDroppedKey(list), entry, bytesOfList);
  }
}
