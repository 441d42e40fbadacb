#!lua flags=no-writes
--[[
Purpose
  Counts the active sessions of a subject and lists them, oldest first, at one moment. Changes nothing.

KEYS
  1 slots  hash: session id → record, of the subject's sessions

ARGV
  1 after  startedAt of the session after which to start; empty for the first
  2 most   the maximum number of listed sessions

Returns
  0 listed  {0, count, {sessionId, startedAt, expiresAt, licenseRequests, details}, …}; count: of all active sessions

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970.
]]

--#include now
--#include slots

local after = tonumber(ARGV[1]) or 0
local most = tonumber(ARGV[2])
local reply = { 0, 0 }
local sessions = readSessions(KEYS[1])
if most > 0 then
  sortByStart(sessions)
end
for _, session in ipairs(sessions) do
  if session.expiresAt > now then
    reply[2] = reply[2] + 1
    if session.startedAt > after and #reply - 2 < most then
      local record = unpackRecord(session.packed)
      table.insert(
        reply,
        { session.sessionId, record.startedAt, record.expiresAt, record.licenseRequests, record.details }
      )
    end
  end
end
return reply
