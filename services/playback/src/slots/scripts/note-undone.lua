#!lua
--[[
Purpose
  Remembers a reservation that was undone before it arrived, so that it takes no slot if the network delivers it late. Stores a
  digest of a few bytes, together with the ended ids of the bucket. A full Redis refuses this script before it runs.

KEYS
  1 record  hash: the record of the session
  2 ended   sorted set: digest of reservationId, sessionId and subject → until when the reservation is remembered

ARGV
  1 sessionId
  2 subject
  3 reservationId  of the undone reservation
  4 span           how long it is remembered

Returns
  0 noted
  1 known  the reservation has arrived; nothing changed

Units
  Times: milliseconds since 1970. Durations: milliseconds.
]]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

if redis.call('HGET', KEYS[1], 'reservationId') == ARGV[3] then
  return 1
end

-- Removes a few per call; each call adds at most one.
local forgotten = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, 10)
if #forgotten > 0 then
  redis.call('ZREM', KEYS[2], unpack(forgotten))
end

-- The same digest as in reserve.lua. It cannot equal that of an id, whose text starts with the session id, never with a colon.
local digest = string.sub(redis.sha1hex(':' .. ARGV[3] .. ':' .. ARGV[1] .. ':' .. ARGV[2]), 1, 20)
redis.call('ZADD', KEYS[2], 'GT', string.format('%.0f', now + tonumber(ARGV[4])), digest)
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
redis.call('PEXPIREAT', KEYS[2], string.format('%.0f', tonumber(last[2])))
return 0
