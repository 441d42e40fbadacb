#!lua flags=allow-oom
--[[
Purpose
  Ends those of the given sessions that have expired: removes their records and slots, and remembers their ids as expired. A session
  that was renewed in the meantime stays. Then notes when the environment must be swept next. Frees more memory than it takes, so that
  it can run on a full Redis.

KEYS
  1 active         sorted set: sessionId:subject → expiresAt, of the environment's slots in the bucket
  2 expiring       sorted set: environment → a time at or before the earliest expiresAt of its slots in the bucket
  3 events         list: the events of the bucket's slots that were not read yet
  4 droppedEvents  hash: how many entries of this list were dropped, and of which time
  and of each session, in the order of the members: slots and ended

ARGV
  1 environmentId
  2 retention      how long an id is remembered after its end
  3 eventBytes     how many bytes the list of events may take; 0: append none
  and the members of `active`

Returns
  0 swept

Units
  Durations: milliseconds.
]]

--#include now
--#include text
--#include slots

local retention = tonumber(ARGV[2])
local function afterExpiry(expiresAt)
  return expiresAt + retention
end

local keys = { active = KEYS[1], events = KEYS[3], droppedEvents = KEYS[4], eventBytes = tonumber(ARGV[3]) }
for i = 1, #ARGV - 3 do
  keys.slots, keys.ended = KEYS[3 + 2 * i], KEYS[4 + 2 * i]
  local member = ARGV[3 + i]
  local sessionId, subject = string.match(member, '^([^:]*):(.*)$')
  local packed = redis.call('HGET', keys.slots, sessionId)
  if not packed then
    -- Without a record, nothing else would remove it.
    redis.call('ZREM', keys.active, member)
  elseif select(2, timesOfRecord(packed)) <= now then
    endSlots(keys, ARGV[1], subject, { { sessionId = sessionId, packed = packed } }, 'expired', afterExpiry)
  end
end

local earliest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if earliest[2] then
  redis.call('ZADD', KEYS[2], text(tonumber(earliest[2])), ARGV[1])
else
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return 0
