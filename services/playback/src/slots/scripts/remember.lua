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

--#include now
--#include ended-ids

if redis.call('EXISTS', KEYS[1]) == 1 then
  return 1
end

forgetEnded(KEYS[2])
local rememberedUntil = tonumber(ARGV[3]) or now + tonumber(ARGV[4])
if rememberedUntil > now then
  rememberEnded(KEYS[2], digestOfId(ARGV[1], ARGV[2]), rememberedUntil)
end
return 0
