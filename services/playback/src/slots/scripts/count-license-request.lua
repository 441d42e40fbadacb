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

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local record = redis.call(
  'HMGET', KEYS[1],
  'state', 'expiresAt', 'reservationId', 'licenseMinute', 'licenseRequestsInMinute', 'startedAt', 'terms'
)
if not record[1] then
  return { 1 }
end
if record[1] == 'released' then
  return { 2 }
end
if record[1] == 'terminated' then
  return { 3 }
end
local expiresAt = tonumber(record[2])
if expiresAt <= now then
  return { 5 }
end
-- An eviction is not written to the record of the evicted session.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return { 4 }
end
if record[3] ~= ARGV[2] then
  return { 6 }
end

local document = redis.call('HGET', KEYS[3], 'document')
-- Empty if the viewer was erased; it is then treated like one that was never synchronized.
if document and document ~= '' and cjson.decode(document).status == 'blocked' then
  return { 7 }
end

local minute = math.floor(now / 60000)
local minuteText = string.format('%.0f', minute)
local calls = 0
if record[4] == minuteText then
  calls = tonumber(record[5])
end
local most = tonumber(ARGV[3])
if most and calls >= most then
  return { 8, math.ceil(((minute + 1) * 60000 - now) / 1000) }
end

redis.call('HSET', KEYS[1], 'licenseMinute', minuteText, 'licenseRequestsInMinute', string.format('%.0f', calls + 1))
return { 0, redis.call('HINCRBY', KEYS[1], 'licenseRequests', 1), tonumber(record[6]), expiresAt, now, record[7] }
