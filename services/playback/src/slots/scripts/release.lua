--[[
Purpose
  Ends a session: frees its slot at once and remembers the id as released, so that it is never reserved again while
  it is remembered; also an id that was never reserved. After the end, nothing changes any more.

KEYS
  1 record        hash: what is remembered of the session
  2 expiries      sorted set: session id → expiresAt, of the subject's slots
  3 starts        sorted set: session id → startedAt, of the same slots
  4 details       hash: session id → JSON details, of the same slots

ARGV
  1 sessionId
  2 reservationId of the reservation to end
  3 retention     how long the id is remembered past its end

Returns
  0 released           the slot is free
  1 remembered         the id was unknown; it is remembered as released
  2 already_ended      the session was released or has expired before; nothing changed
  3 other_reservation  the id is reserved under another reservationId; nothing changed

Units
  Spans: milliseconds. Times written: startedAt in microseconds since 1970, the others in milliseconds since 1970.
]]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local record = redis.call('HMGET', KEYS[1], 'state', 'reservationId', 'expiresAt')
if record[1] then
  if record[1] ~= 'reserved' or tonumber(record[3]) <= now then
    return 2
  end
  if record[2] ~= ARGV[2] then
    return 3
  end
end

redis.call('HSET', KEYS[1], 'state', 'released', 'endedAt', string.format('%.0f', now))
redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', now + tonumber(ARGV[3])))
if not record[1] then
  return 1
end

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
