--[[
Purpose
  Takes back a reservation whose answer never reached the caller: frees the slot and forgets the id, as if the
  session had never been asked for.

KEYS
  1 record        hash: what is remembered of the session
  2 expiries      sorted set: session id → expiresAt, of the subject's slots
  3 starts        sorted set: session id → startedAt, of the same slots
  4 details       hash: session id → JSON details, of the same slots

ARGV
  1 sessionId
  2 reservationId of the reservation to take back

Returns
  0 undone             the slot is free and the id forgotten
  1 repeated           another call was given the reservation too, so it stays; nothing changed
  2 not_reserved       the id is unknown, released or expired; nothing changed
  3 other_reservation  the id is reserved under another reservationId; nothing changed

Units
  Times read: milliseconds since 1970.
]]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local record = redis.call('HMGET', KEYS[1], 'state', 'reservationId', 'expiresAt', 'repeated')
if record[1] ~= 'reserved' or tonumber(record[3]) <= now then
  return 2
end
if record[2] ~= ARGV[2] then
  return 3
end
if record[4] then
  return 1
end

redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[1])

local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
if last[2] then
  local lastExpiresAt = string.format('%.0f', tonumber(last[2]))
  for key = 2, 4 do
    redis.call('PEXPIREAT', KEYS[key], lastExpiresAt)
  end
end

return 0
