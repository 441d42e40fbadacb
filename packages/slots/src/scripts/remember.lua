#!lua
--[[
Purpose
  Remembers an unknown id that was released, so that neither a create that arrives later nor a session that was lost takes a slot.
  Stores a digest of a few bytes, together with the others of the bucket. A full Redis refuses this script before it runs.

KEYS
  1 slots  hash: session id → record, of the subject's sessions
  2 ended  sorted set: digests of what has ended, of a sixteenth of the viewers in the bucket

ARGV
  1 sessionId
  2 until   until when it is remembered; empty for the span from now
  3 span    how long it is remembered if until is empty

Returns
  0 remembered
  1 known       a session with the id exists or has ended; nothing changed

Units
  Times: milliseconds since 1970. Durations: milliseconds.
]]

--#include now
--#include ended-ids

local isReserved = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1
if isReserved or wasCreated(endedSession(KEYS[2], ARGV[1], KEYS[1])) then
  return 1
end

local rememberedUntil = tonumber(ARGV[2]) or now + tonumber(ARGV[3])
rememberEnded(KEYS[2], { { digestOfId(ARGV[1], KEYS[1]), ends.neverCreated, 0, rememberedUntil } })
return 0
