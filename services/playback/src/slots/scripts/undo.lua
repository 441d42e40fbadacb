#!lua flags=allow-oom
--[[
Purpose
  Takes back a reservation whose answer never reached the caller: frees the slot and forgets the id, as if the
  session had never been asked for. What it evicted or replaced does not come back. A reservation that has not come yet
  is noted by note-undone.lua: a full Redis takes this script, and nothing new.

KEYS
  1 record    hash: what is remembered of the session
  2 expiries  sorted set: session id → expiresAt, of the subject's slots
  3 starts    sorted set: session id → startedAt, of the same slots
  4 details   hash: session id → JSON details, of the same slots
  5 live      sorted set: sessionId:subject → expiresAt, of all slots of the bucket

ARGV
  1 sessionId
  2 subject
  3 reservationId  of the reservation to take back

Returns
  0 undone             the slot is free and the id forgotten
  1 repeated           another call was given the reservation too, so it stays; nothing changed
  2 not_reserved       the session has ended; nothing changed
  3 other_reservation  the id is reserved under another reservationId; nothing changed
  4 unknown            the id is unknown; nothing changed

Units
  Times read: milliseconds since 1970.
]]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local record = redis.call('HMGET', KEYS[1], 'state', 'reservationId', 'expiresAt', 'repeated')
if not record[1] then
  return 4
end
if record[1] ~= 'reserved' or tonumber(record[3]) <= now then
  return 2
end
-- Evicted: the one end that is not written in the record.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return 2
end
if record[2] ~= ARGV[3] then
  return 3
end
if record[4] then
  return 1
end

redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1] .. ':' .. ARGV[2])

local function goWithTheLastOf(set, keys)
  local last = redis.call('ZREVRANGE', set, 0, 0, 'WITHSCORES')
  if last[2] then
    -- May be past, where only expired ones are left: then they go at once.
    local lastExpiresAt = string.format('%.0f', tonumber(last[2]))
    for _, key in ipairs(keys) do
      redis.call('PEXPIREAT', key, lastExpiresAt)
    end
  end
end
goWithTheLastOf(KEYS[2], { KEYS[2], KEYS[3], KEYS[4] })
goWithTheLastOf(KEYS[5], { KEYS[5] })

return 0
