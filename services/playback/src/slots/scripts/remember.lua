#!lua
--[[
Purpose
  Remembers an id that was released before its create arrived, so that the create takes no slot. Stores a digest of a few bytes,
  together with the others of the bucket. A full Redis refuses this script before it runs.

KEYS
  1 record  hash: the record of the session
  2 ended   sorted set: digest of sessionId:subject → until when the id is remembered

ARGV
  1 sessionId
  2 subject
  3 until   until when it is remembered; empty for the span from now
  4 span    how long it is remembered if until is empty

Returns
  0 remembered
  1 known       a session with the id exists; nothing changed

Units
  Times: milliseconds since 1970. Durations: milliseconds.
]]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

if redis.call('EXISTS', KEYS[1]) == 1 then
  return 1
end

-- Removes a few per call; each call adds at most one.
local forgotten = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, 10)
if #forgotten > 0 then
  redis.call('ZREM', KEYS[2], unpack(forgotten))
end

local digest = string.sub(redis.sha1hex(ARGV[1] .. ':' .. ARGV[2]), 1, 20)
local rememberedUntil = tonumber(ARGV[3]) or now + tonumber(ARGV[4])
if rememberedUntil > now then
  redis.call('ZADD', KEYS[2], 'GT', string.format('%.0f', rememberedUntil), digest)
  local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  redis.call('PEXPIREAT', KEYS[2], string.format('%.0f', tonumber(last[2])))
end
return 0
