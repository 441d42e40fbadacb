#!lua flags=no-writes
--[[
Purpose
  Lists the active sessions of a subject at one moment, oldest first. Changes nothing. Reads at most 2,000 slots: if there are
  more, because very many have expired, it returns where to continue.

KEYS
  1 expiries  sorted set: session id → expiresAt, of the subject's slots
  2 starts    sorted set: session id → startedAt, of the same slots; no two are equal
  3 details   hash: session id → JSON details, of the same slots

ARGV
  1 after  startedAt of the session after which to start; empty for the first
  2 most   the maximum number of sessions

Returns
  0 listed  {0, after, {sessionId, startedAt, expiresAt, details}, …}; after: where to continue, empty if no slot is
            left

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970.
]]

--#include now
--#include text

local from = '-inf'
if ARGV[1] ~= '' then
  from = '(' .. ARGV[1]
end
local lookedAt = 2000
local slots = redis.call('ZRANGEBYSCORE', KEYS[2], from, '+inf', 'WITHSCORES', 'LIMIT', 0, lookedAt)

local reply = { 0, '' }
local most = tonumber(ARGV[2])
for i = 1, #slots, 2 do
  if #reply - 2 == most then
    return reply
  end
  local sessionId = slots[i]
  local expiresAt = redis.call('ZSCORE', KEYS[1], sessionId)
  if expiresAt and tonumber(expiresAt) > now then
    table.insert(reply, { sessionId, tonumber(slots[i + 1]), tonumber(expiresAt), redis.call('HGET', KEYS[3], sessionId) })
  end
  reply[2] = text(tonumber(slots[i + 1]))
end
if #slots < 2 * lookedAt then
  reply[2] = ''
end
return reply
