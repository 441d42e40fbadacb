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

--#include now
--#include read-record
--#include end-of

local record = readRecord(KEYS[1], 'state', 'expiresAt', 'reservationId', 'startedAt', 'limit', 'grant')
local ended = endOf(record, KEYS[2], ARGV[1])
if ended > 0 then
  return { ended, now }
end

local startedAt, expiresAt = tonumber(record.startedAt), tonumber(record.expiresAt)
return { 0, now, record.reservationId, startedAt, expiresAt, record.limit, record.grant }
