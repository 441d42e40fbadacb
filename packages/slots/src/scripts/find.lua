#!lua flags=no-writes
--[[
Purpose
  Returns the stored state of a session. Changes nothing.

KEYS
  1 slots  hash: session id → record, of the subject's sessions
  2 ended  sorted set: digests of what has ended, of a sixteenth of the viewers in the bucket

ARGV
  1 sessionId
  2 retention  how long an id is remembered after its end

Returns
  0 reserved    {0, serverTime, reservationId, startedAt, expiresAt, limit, details, grant}; limit: empty for none
  1 unknown     {1, serverTime} the id is not remembered
  2 released    {2, serverTime}
  3 terminated  {3, serverTime}
  4 evicted     {4, serverTime} its slot was given to another session, and expiresAt is in the future
  5 expired     {5, serverTime}

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970. Durations: milliseconds.
]]

--#include now
--#include text
--#include record
--#include end-of

local record = readRecord(KEYS[1], ARGV[1])
local ended = endOf(record, KEYS[2], ARGV[1], KEYS[1], tonumber(ARGV[2]))
if ended > 0 then
  return { ended, now }
end

local limit = record.limit and text(record.limit) or ''
return { 0, now, record.reservationId, record.startedAt, record.expiresAt, limit, record.details, record.grant }
