#!lua flags=allow-oom
--[[
Purpose
  Extends the expiresAt of an active session, never backwards and never past the maximum session. A refusal changes
  nothing.

KEYS
  1 record    hash: the record of the session
  2 expiries  sorted set: session id → expiresAt, of the subject's slots
  3 starts    sorted set: session id → startedAt, of the same slots
  4 details   hash: session id → JSON details, of the same slots
  5 active    sorted set: sessionId:subject → expiresAt, of all slots of the bucket
  6 endUser   hash: the viewer's published document, in the field document

ARGV
  1 sessionId
  2 subject
  3 reservationId   of the reservation to renew
  4 lifetime        from now to the new expiresAt
  5 maximumSession  from startedAt to the latest possible expiresAt
  6 callsPerMinute  renewals that the session may make per clock minute; empty for no limit
  7 retention       how long the id is remembered after expiresAt

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
--#include read-record
--#include player-call
--#include slots

local record = readRecord(
  KEYS[1],
  'state', 'expiresAt', 'reservationId', 'startedAt', 'limit', 'renewalMinute', 'renewalsInMinute'
)
local refusal = refusalOf(record, KEYS[2], ARGV[1], ARGV[3], KEYS[6])
if refusal > 0 then
  return { refusal }
end
local calls = callsInMinute(record.renewalMinute, record.renewalsInMinute)
local most = tonumber(ARGV[6])
if most and calls >= most then
  return { 8, secondsUntilMinuteEnds }
end

local startedAt = tonumber(record.startedAt)
local latest = math.floor(startedAt / 1000) + tonumber(ARGV[5])
local expiresAt = math.max(tonumber(record.expiresAt), math.min(now + tonumber(ARGV[4]), latest))

redis.call(
  'HSET', KEYS[1],
  'expiresAt', text(expiresAt),
  'renewalMinute', minute,
  'renewalsInMinute', text(calls + 1)
)
redis.call('ZADD', KEYS[2], text(expiresAt), ARGV[1])
redis.call('ZADD', KEYS[5], text(expiresAt), ARGV[1] .. ':' .. ARGV[2])

redis.call('PEXPIREAT', KEYS[1], text(expiresAt + tonumber(ARGV[7])))
expireWithLastSlot({ expiries = KEYS[2], starts = KEYS[3], details = KEYS[4], active = KEYS[5] })

return { 0, record.reservationId, startedAt, expiresAt, now, record.limit }
