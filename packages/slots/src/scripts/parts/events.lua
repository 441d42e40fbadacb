--#include now
--#include text

-- The events of slots: entries of the list `keys.events`, appended in the same step as the change. slot-event.ts reads them.
-- `keys` also names droppedEvents, and has eventBytes: how many bytes the list may take; 0 if none are appended.

local eventVersion = 1
local sessionStarted, sessionEnded, sessionResumed = 1, 2, 3

-- No entry is larger, in bytes.
local largestEvent = 8192

-- Packs an entry: values one after the other. `at`: when it happened; never before the session's start, also if the clock of Redis was
-- set back. `...`: the values of its kind.
local function packEvent(kind, environmentId, subject, sessionId, record, at, ...)
  return cmsgpack.pack(
    eventVersion, kind, environmentId, subject, sessionId, record.reservationId,
    math.max(at, record.startedAt), record.startedAt, record.expiresAt, record.details, ...
  )
end

-- Returns when the event of an entry happened. Returns the present time for an entry that cannot be read, so that the others can still be
-- dropped.
local function timeOfEvent(packed)
  local values = { pcall(cmsgpack.unpack_limit, packed, 7, 0) }
  return tonumber(values[9]) or nowMicroseconds
end

-- Drops the oldest entries if the list takes too much, and notes how many, and the times of the first and the last of them. Drops an eighth
-- more than it must, so that not every further entry has to drop one.
local function dropOldestEvents(keys, length)
  local bytes = redis.pcall('MEMORY', 'USAGE', keys.events)
  if type(bytes) ~= 'number' then
    -- This caller may not measure.
    bytes = length * largestEvent
  end
  if bytes <= keys.eventBytes then
    return
  end
  local count = math.min(math.ceil(length * (1 - keys.eventBytes * 7 / 8 / bytes)), length - 1)
  if count < 1 then
    return
  end
  local first, last = redis.call('LINDEX', keys.events, 0), redis.call('LINDEX', keys.events, count - 1)
  redis.call('LTRIM', keys.events, count, -1)
  redis.call('HINCRBY', keys.droppedEvents, 'count', count)
  redis.call('HSETNX', keys.droppedEvents, 'from', text(timeOfEvent(first)))
  redis.call('HSET', keys.droppedEvents, 'to', text(timeOfEvent(last)))
end

-- Appends entries, at most 500.
local function appendEvents(keys, events)
  local length = redis.call('RPUSH', keys.events, unpack(events))
  -- Measuring takes longer than appending.
  if length * largestEvent > keys.eventBytes then
    dropOldestEvents(keys, length)
  end
end
