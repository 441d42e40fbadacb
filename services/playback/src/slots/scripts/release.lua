#!lua flags=allow-oom
--[[
Purpose
  Ends a session: frees its slot at once and remembers the id as ended, so that it cannot be reserved again while it is
  remembered. An ended session is never changed. Adds no key, so that it can run on a full Redis.

KEYS
  1 record    hash: the record of the session
  2 expiries  sorted set: session id → expiresAt, of the subject's slots
  3 starts    sorted set: session id → startedAt, of the same slots
  4 details   hash: session id → JSON details, of the same slots
  5 active    sorted set: sessionId:subject → expiresAt, of all slots of the bucket

ARGV
  1 sessionId
  2 subject
  3 reservationId  of the reservation to end; empty for any
  4 state          the new state of the session: released or terminated
  5 retention      how long the id is remembered after its end

Returns
  0 released           the slot is free
  1 unknown            the id is not remembered; nothing changed
  2 already_ended      the session was already released, terminated or evicted, or has expired; nothing changed
  3 other_reservation  the id is reserved under another reservationId; nothing changed

Units
  Durations: milliseconds. Times written: startedAt in microseconds since 1970, the others in milliseconds since 1970.
]]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function text(integer)
  return string.format('%.0f', integer)
end

local record = redis.call('HMGET', KEYS[1], 'state', 'reservationId', 'expiresAt')
if not record[1] then
  return 1
end
if record[1] ~= 'reserved' or tonumber(record[3]) <= now then
  return 2
end
-- Evicted: an eviction is not written to the record of the evicted session.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return 2
end
if ARGV[3] ~= '' and record[2] ~= ARGV[3] then
  return 3
end

redis.call('HSET', KEYS[1], 'state', ARGV[4], 'endedAt', text(now))
redis.call('HDEL', KEYS[1], 'terms')
redis.call('PEXPIREAT', KEYS[1], text(now + tonumber(ARGV[5])))

redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1] .. ':' .. ARGV[2])

local function expireWithLastOf(set, keys)
  local last = redis.call('ZREVRANGE', set, 0, 0, 'WITHSCORES')
  if last[2] then
    -- In the past if only expired slots are left; the keys are then removed at once.
    local lastExpiresAt = text(tonumber(last[2]))
    for _, key in ipairs(keys) do
      redis.call('PEXPIREAT', key, lastExpiresAt)
    end
  end
end
expireWithLastOf(KEYS[2], { KEYS[2], KEYS[3], KEYS[4] })
expireWithLastOf(KEYS[5], { KEYS[5] })

return 0
