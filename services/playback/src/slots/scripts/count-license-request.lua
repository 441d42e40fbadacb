#!lua flags=allow-oom
--[[
Purpose
  Counts a license request of an active session. A refusal changes nothing.

KEYS
  1 record    hash: the record of the session
  2 expiries  sorted set: session id → expiresAt, of the subject's slots
  3 endUser   hash: the viewer's published document, in the field document

ARGV
  1 sessionId
  2 reservationId   of the session's reservation
  3 callsPerMinute  requests that the session may make per clock minute; empty for no limit

Returns
  0 counted            {0, licenseRequests, startedAt, expiresAt, serverTime, grant}; licenseRequests: of the
                       session, including this one
  1 unknown            {1} the id is not remembered
  2 released           {2}
  3 terminated         {3}
  4 evicted            {4} its slot was given to another session, and expiresAt is in the future
  5 expired            {5}
  6 other_reservation  {6} the id is reserved under another reservationId
  7 subject_blocked    {7} according to the viewer's document
  8 rate_limited       {8, seconds until the minute ends}

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970.
]]

--#include now
--#include text
--#include read-record
--#include player-call

local record = readRecord(
  KEYS[1],
  'state', 'expiresAt', 'reservationId', 'startedAt', 'grant', 'licenseMinute', 'licenseRequestsInMinute'
)
local refusal = refusalOf(record, KEYS[2], ARGV[1], ARGV[2], KEYS[3])
if refusal > 0 then
  return { refusal }
end
local calls = callsInMinute(record.licenseMinute, record.licenseRequestsInMinute)
local most = tonumber(ARGV[3])
if most and calls >= most then
  return { 8, secondsUntilMinuteEnds }
end

redis.call('HSET', KEYS[1], 'licenseMinute', minute, 'licenseRequestsInMinute', text(calls + 1))
local licenseRequests = redis.call('HINCRBY', KEYS[1], 'licenseRequests', 1)
return { 0, licenseRequests, tonumber(record.startedAt), tonumber(record.expiresAt), now, record.grant }
