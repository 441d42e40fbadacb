#!lua flags=allow-oom
--[[
Purpose
  Counts a license request of an active session. A refusal changes nothing.

KEYS
  1 slots    hash: session id → record, of the subject's sessions
  2 ended    sorted set: digests of what has ended, of a sixteenth of the viewers in the bucket
  3 endUser  hash: the viewer's published document, in the field document

ARGV
  1 sessionId
  2 reservationId   of the session's reservation
  3 callsPerMinute  requests that the session may make per clock minute; empty for no limit
  4 retention       how long an id is remembered after its end

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
  startedAt: microseconds since 1970. Other times: milliseconds since 1970. Durations: milliseconds.
]]

--#include now
--#include player-call

local keys = { slots = KEYS[1], ended = KEYS[2], endUser = KEYS[3] }
local record, refusal = beginCall(keys, ARGV[1], ARGV[2], tonumber(ARGV[4]), 'licenses', tonumber(ARGV[3]))
if not record then
  return refusal
end

record.licenseRequests = record.licenseRequests + 1
writeRecord(keys.slots, ARGV[1], record)
-- Not stored: only a renewal knows the lifetime.
startNoLaterThanNow(record, record.expiresAt - math.floor(record.startedAt / 1000))
return { 0, record.licenseRequests, record.startedAt, record.expiresAt, now, record.grant }
