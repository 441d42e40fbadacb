#!lua flags=allow-oom
--[[
Purpose
  Extends the expiresAt of an active session, never backwards and never past the maximum session. A refusal changes
  nothing. Only if the clock of Redis was set back to before the start of the session, expiresAt moves back with it.

KEYS
  1 slots    hash: session id → record, of the subject's sessions
  2 active   sorted set: sessionId:subject → expiresAt, of the environment's slots in the bucket
  3 ended    sorted set: digests of what has ended, of a sixteenth of the viewers in the bucket
  4 endUser  hash: the viewer's published document, in the field document

ARGV
  1 sessionId
  2 subject
  3 reservationId   of the reservation to renew
  4 lifetime        from now to the new expiresAt
  5 maximumSession  from startedAt to the latest possible expiresAt
  6 callsPerMinute  renewals that the session may make per clock minute; empty for no limit
  7 retention       how long an id is remembered after its end

Returns
  0 renewed            {0, reservationId, startedAt, expiresAt, serverTime, limit}; limit: empty for none
  1 unknown            {1} the id is not remembered
  2 released           {2}
  3 terminated         {3}
  4 evicted            {4} its slot was given to another session, and expiresAt is in the future
  5 expired            {5}
  6 other_reservation  {6} the id is reserved under another reservationId
  7 subject_blocked    {7} according to the viewer's document
  8 rate_limited       {8, seconds until the minute ends}

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970. Durations: milliseconds.
]]

--#include now
--#include text
--#include player-call
--#include slots

local keys = { slots = KEYS[1], active = KEYS[2], ended = KEYS[3], endUser = KEYS[4] }
local record, refusal = beginCall(keys, ARGV[1], ARGV[3], tonumber(ARGV[7]), 'renewals', tonumber(ARGV[6]))
if not record then
  return refusal
end

local lifetime = tonumber(ARGV[4])
startNoLaterThanNow(record, lifetime)
local latest = math.floor(record.startedAt / 1000) + tonumber(ARGV[5])
record.expiresAt = math.max(record.expiresAt, math.min(now + lifetime, latest))
writeRecord(keys.slots, ARGV[1], record)
redis.call('ZADD', keys.active, text(record.expiresAt), ARGV[1] .. ':' .. ARGV[2])

local limit = record.limit and text(record.limit) or ''
return { 0, record.reservationId, record.startedAt, record.expiresAt, now, limit }
