#!lua
--[[
Purpose
  Notes a reservation that was taken back before it came, so that it takes no slot where a network delivers it late. A few
  bytes of each: a digest, with the ended ids of the bucket. Not on a full Redis, which refuses this script before it runs.

KEYS
  1 record  hash: what is remembered of the session
  2 ended   sorted set: digest of reservationId, sessionId and subject → until when the reservation is noted

ARGV
  1 sessionId
  2 subject
  3 reservationId  of the reservation that was taken back
  4 span           how long it is noted

Returns
  0 noted
  1 known  the reservation has come; nothing changed

Units
  Times: milliseconds since 1970. Spans: milliseconds.
]]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

if redis.call('HGET', KEYS[1], 'reservationId') == ARGV[3] then
  return 1
end

-- A few at a time: each call adds one at most.
local forgotten = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, 10)
if #forgotten > 0 then
  redis.call('ZREM', KEYS[2], unpack(forgotten))
end

-- As in reserve.lua. No digest of an id begins like that: a session id is not empty.
local digest = string.sub(redis.sha1hex(':' .. ARGV[3] .. ':' .. ARGV[1] .. ':' .. ARGV[2]), 1, 20)
redis.call('ZADD', KEYS[2], 'GT', string.format('%.0f', now + tonumber(ARGV[4])), digest)
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
redis.call('PEXPIREAT', KEYS[2], string.format('%.0f', tonumber(last[2])))
return 0
