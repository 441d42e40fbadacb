#!lua flags=allow-oom
--[[
Purpose
  Undoes a reservation whose response never reached the caller: frees the slot and forgets the id, as if the session had never
  been requested. Sessions that it evicted or replaced are not restored. A reservation that has not arrived yet is remembered
  by note-undone.lua, separately, because a full Redis accepts this script but no new data.

KEYS
  1 record    hash: the record of the session
  2 expiries  sorted set: session id → expiresAt, of the subject's slots
  3 starts    sorted set: session id → startedAt, of the same slots
  4 details   hash: session id → JSON details, of the same slots
  5 active    sorted set: sessionId:subject → expiresAt, of all slots of the bucket

ARGV
  1 sessionId
  2 subject
  3 reservationId  of the reservation to undo

Returns
  0 undone             the slot is free and the id forgotten
  1 repeated           another call got the reservation too, so it stays; nothing changed
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
-- Evicted: an eviction is not written to the record of the evicted session.
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

local function expireWithLastOf(set, keys)
  local last = redis.call('ZREVRANGE', set, 0, 0, 'WITHSCORES')
  if last[2] then
    -- In the past if only expired slots are left; the keys are then removed at once.
    local lastExpiresAt = string.format('%.0f', tonumber(last[2]))
    for _, key in ipairs(keys) do
      redis.call('PEXPIREAT', key, lastExpiresAt)
    end
  end
end
expireWithLastOf(KEYS[2], { KEYS[2], KEYS[3], KEYS[4] })
expireWithLastOf(KEYS[5], { KEYS[5] })

return 0
