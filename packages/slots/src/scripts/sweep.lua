#!lua flags=allow-oom
--[[
Purpose
  Ends those of the given sessions that have expired: removes their records and slots, and remembers their ids as expired. A session
  that was renewed in the meantime stays. Then notes when the environment must be swept next. Frees more memory than it takes, so that
  it can run on a full Redis.

KEYS
  1 active    sorted set: sessionId:subject → expiresAt, of the environment's slots in the bucket
  2 expiring  sorted set: environment → a time at or before the earliest expiresAt of its slots in the bucket
  and of each session, in the order of the members: slots and ended

ARGV
  1 environmentId
  2 retention      how long an id is remembered after its end
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

for i = 1, #ARGV - 2 do
  local keys = { active = KEYS[1], slots = KEYS[1 + 2 * i], ended = KEYS[2 + 2 * i] }
  local member = ARGV[2 + i]
  local sessionId, subject = string.match(member, '^([^:]*):(.*)$')
  local packed = redis.call('HGET', keys.slots, sessionId)
  if not packed then
    -- Without a record, nothing else would remove it.
    redis.call('ZREM', keys.active, member)
  elseif select(2, timesOfRecord(packed)) <= now then
    endSlots(keys, subject, { { sessionId = sessionId, packed = packed } }, ends.expired, afterExpiry)
  end
end

local earliest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if earliest[2] then
  redis.call('ZADD', KEYS[2], text(tonumber(earliest[2])), ARGV[1])
else
  redis.call('ZREM', KEYS[2], ARGV[1])
end
return 0
