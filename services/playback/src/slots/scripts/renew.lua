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

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function text(integer)
  return string.format('%.0f', integer)
end

local record = redis.call(
  'HMGET', KEYS[1],
  'state', 'expiresAt', 'reservationId', 'startedAt', 'limit', 'renewalMinute', 'renewalsInMinute'
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
if record[3] ~= ARGV[3] then
  return { 6 }
end

local document = redis.call('HGET', KEYS[6], 'document')
-- Empty if the viewer was erased; it is then treated like one that was never synchronized.
if document and document ~= '' and cjson.decode(document).status == 'blocked' then
  return { 7 }
end

local minute = math.floor(now / 60000)
local calls = 0
if record[6] == text(minute) then
  calls = tonumber(record[7])
end
local most = tonumber(ARGV[6])
if most and calls >= most then
  return { 8, math.ceil(((minute + 1) * 60000 - now) / 1000) }
end

local startedAt = tonumber(record[4])
local latest = math.floor(startedAt / 1000) + tonumber(ARGV[5])
expiresAt = math.max(expiresAt, math.min(now + tonumber(ARGV[4]), latest))

redis.call(
  'HSET', KEYS[1],
  'expiresAt', text(expiresAt),
  'renewalMinute', text(minute),
  'renewalsInMinute', text(calls + 1)
)
redis.call('ZADD', KEYS[2], text(expiresAt), ARGV[1])
redis.call('ZADD', KEYS[5], text(expiresAt), ARGV[1] .. ':' .. ARGV[2])

redis.call('PEXPIREAT', KEYS[1], text(expiresAt + tonumber(ARGV[7])))
local function expireWithLastOf(set, keys)
  local last = redis.call('ZREVRANGE', set, 0, 0, 'WITHSCORES')
  if last[2] then
    -- In the past if only expired slots are left; the keys are then removed at once.
    local lastExpiresAt = text(tonumber(last[2]))
    for _, key in ipairs(keys) do
      redis.call('PEXPIREAT', key, lastExpiresAt)
    end
  end
end
expireWithLastOf(KEYS[2], { KEYS[2], KEYS[3], KEYS[4] })
expireWithLastOf(KEYS[5], { KEYS[5] })

return { 0, record[3], startedAt, expiresAt, now, record[5] }
