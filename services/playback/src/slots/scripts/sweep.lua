#!lua flags=allow-oom
--[[
Purpose
  Ends those of the given sessions that have expired: removes their records and slots, and remembers their ids as expired. A session
  that was renewed in the meantime stays. Then notes when the environment must be swept next. Frees more memory than it takes, so that it can run on a full Redis.

KEYS
  1 active    sorted set: sessionId:subject → expiresAt, of the environment's slots in the bucket
  2 ended     sorted set: digests of what has ended in the bucket
  3 expiring  sorted set: environment → a time at or before the earliest expiresAt of its slots in the bucket
  and of each session, in the order of the members: slots

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

for i = 1, #KEYS - 3 do
  local keys = { slots = KEYS[3 + i], active = KEYS[1], ended = KEYS[2] }
  local sessionId, subject = string.match(ARGV[2 + i], '^([^:]*):(.*)$')
  local packed = redis.call('HGET', keys.slots, sessionId)
  if not packed then
    -- Without a record, nothing else would remove it.
    redis.call('ZREM', keys.active, ARGV[2 + i])
  elseif unpackRecord(packed).expiresAt <= now then
    endSlots(keys, subject, { { sessionId = sessionId, packed = packed } }, ends.expired, afterExpiry)
  end
end

local earliest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if earliest[2] then
  redis.call('ZADD', KEYS[3], text(tonumber(earliest[2])), ARGV[1])
else
  redis.call('ZREM', KEYS[3], ARGV[1])
end
return 0
