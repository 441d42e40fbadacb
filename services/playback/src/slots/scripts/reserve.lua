--[[
Purpose
  Gives a session one of the subject's slots, or gives a repeated request the reservation it already has.
  Drops the subject's expired slots first, then counts against the limit. Runs as one step: nothing comes between.

KEYS
  1 record        hash: what is remembered of the session
  2 expiries      sorted set: session id → expiresAt, of the subject's slots
  3 starts        sorted set: session id → startedAt, of the same slots
  4 details       hash: session id → JSON details, of the same slots

ARGV
  1 sessionId
  2 reservationId nonce of this call; becomes the reservation's id if the call makes one
  3 requestHash   equal for equal requests
  4 limit         slots that the subject may hold; empty for no limit
  5 lifetime      of the reservation
  6 repeatWindow  how long after the start an equal request is a repeat
  7 retention     how long the id is remembered past expiresAt
  8 details       JSON, shown when the limit refuses another session

Returns
  0 reserved           {0, reservationId, startedAt, expiresAt, serverTime}
  1 repeated           {1, …} the same of the first reservation; it has not changed
  2 limit_reached      {2, {sessionId, startedAt, expiresAt, details}, …} the live slots, oldest first, at most 20
  3 session_id_reused  {3} the id is remembered, and this is no repeat

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970. Spans: milliseconds.
]]

local time = redis.call('TIME')
local nowMicroseconds = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(nowMicroseconds / 1000)

local record = redis.call('HMGET', KEYS[1], 'state', 'reservationId', 'requestHash', 'startedAt', 'expiresAt')
if record[1] then
  local reservationId = record[2]
  local startedAt = tonumber(record[4])
  local expiresAt = tonumber(record[5])
  local live = record[1] == 'reserved' and expiresAt > now
  if not live or record[3] ~= ARGV[3] then
    return { 3 }
  end
  -- The client library sends a call again when its connection broke before the answer came.
  if reservationId == ARGV[2] then
    return { 0, reservationId, startedAt, expiresAt, now }
  end
  if nowMicroseconds - startedAt > tonumber(ARGV[6]) * 1000 then
    return { 3 }
  end
  -- From here on the reservation is not the first call's alone: it must not undo it any more.
  redis.call('HSET', KEYS[1], 'repeated', '1')
  return { 1, reservationId, startedAt, expiresAt, now }
end

local expired = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now))
-- In portions, because Lua cannot pass more than some thousands of arguments at once.
for first = 1, #expired, 1000 do
  local last = math.min(first + 999, #expired)
  redis.call('ZREM', KEYS[2], unpack(expired, first, last))
  redis.call('ZREM', KEYS[3], unpack(expired, first, last))
  redis.call('HDEL', KEYS[4], unpack(expired, first, last))
end

local limit = tonumber(ARGV[4])
if limit and redis.call('ZCARD', KEYS[2]) >= limit then
  local reply = { 2 }
  local oldest = redis.call('ZRANGE', KEYS[3], 0, 19, 'WITHSCORES')
  for i = 1, #oldest, 2 do
    local sessionId = oldest[i]
    local startedAt = tonumber(oldest[i + 1])
    local expiresAt = tonumber(redis.call('ZSCORE', KEYS[2], sessionId))
    local details = redis.call('HGET', KEYS[4], sessionId)
    table.insert(reply, { sessionId, startedAt, expiresAt, details })
  end
  return reply
end

-- Later than every other start, also within one microsecond and after the clock was set back: the order must be stable.
local startedAt = nowMicroseconds
local newest = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
if newest[2] then
  startedAt = math.max(startedAt, tonumber(newest[2]) + 1)
end
local expiresAt = now + tonumber(ARGV[5])
local startedAtText = string.format('%.0f', startedAt)
local expiresAtText = string.format('%.0f', expiresAt)

redis.call('ZADD', KEYS[2], expiresAtText, ARGV[1])
redis.call('ZADD', KEYS[3], startedAtText, ARGV[1])
redis.call('HSET', KEYS[4], ARGV[1], ARGV[8])
redis.call(
  'HSET', KEYS[1],
  'state', 'reserved',
  'reservationId', ARGV[2],
  'requestHash', ARGV[3],
  'startedAt', startedAtText,
  'expiresAt', expiresAtText
)

redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', expiresAt + tonumber(ARGV[7])))
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
local lastExpiresAt = string.format('%.0f', tonumber(last[2]))
for key = 2, 4 do
  redis.call('PEXPIREAT', KEYS[key], lastExpiresAt)
end

return { 0, ARGV[2], startedAt, expiresAt, now }
