#!lua flags=no-writes
--[[
Purpose
  Returns the stored state of a session. Changes nothing.

KEYS
  1 record    hash: the record of the session
  2 expiries  sorted set: session id → expiresAt, of the subject's slots

ARGV
  1 sessionId

Returns
  0 reserved    {0, serverTime, reservationId, startedAt, expiresAt, limit, grant}; limit: empty for none
  1 unknown     {1, serverTime} the id is not remembered
  2 released    {2, serverTime}
  3 terminated  {3, serverTime}
  4 evicted     {4, serverTime} its slot was given to another session, and expiresAt is in the future
  5 expired     {5, serverTime}

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970.
]]

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local record =
  redis.call('HMGET', KEYS[1], 'state', 'expiresAt', 'reservationId', 'startedAt', 'limit', 'terms')
if not record[1] then
  return { 1, now }
end
if record[1] == 'released' then
  return { 2, now }
end
if record[1] == 'terminated' then
  return { 3, now }
end
local expiresAt = tonumber(record[2])
if expiresAt <= now then
  return { 5, now }
end
-- An eviction is not written to the record of the evicted session.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return { 4, now }
end
return { 0, now, record[3], tonumber(record[4]), expiresAt, record[5], record[6] }
