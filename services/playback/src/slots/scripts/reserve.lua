#!lua
--[[
Purpose
  Reserves one of the subject's slots for a session, or returns the existing reservation for a repeated request.
  Decides before it changes anything: a refusal only removes expired slots of the subject.
  If the session to replace is unknown, its id is remembered for a while: a create that was overtaken by its replacement then
  finds the id used and takes no slot. A reservation that arrives after it was undone takes no slot either.
  If very many slots must be removed first, expired ones or ones above the limit that are evicted anyway, it removes a portion
  and asks to be called again, so that other commands do not wait long.

KEYS
  1 record          hash: the record of the session
  2 expiries        sorted set: session id → expiresAt, of the subject's slots
  3 starts          sorted set: session id → startedAt, of the same slots
  4 details         hash: session id → JSON details, of the same slots
  5 active          sorted set: sessionId:subject → expiresAt, of all slots of the bucket
  6 endUser         hash: the viewer's published document, in the field document
  7 replacedRecord  the record of the session to replace; the session's own if there is none
  8 ended           sorted set: digest of sessionId:subject of an id that ended before its create, and digest of reservationId,
                    sessionId and subject of a reservation that was undone before it arrived → until when it is remembered

ARGV
  1 sessionId
  2 subject
  3 reservationId       nonce of this call; becomes the id of a new reservation
  4 requestHash         equal for equal requests
  5 limit               slots that the subject may hold, unless the viewer has its own limit; empty for no limit
  6 limitCeiling        caps any limit; empty for none
  7 atStreamLimit       what happens at the limit: reject or evict-oldest
  8 organizationIsFull  1: refuse a session that would add a stream; 0: do not
  9 replacesSessionId   session of the subject to release; must differ from sessionId; empty for none
  10 lifetime           of the reservation
  11 repeatWindow       how long after the start an equal request counts as a repeat
  12 retention          how long an id is remembered after its end
  13 details            JSON, shown in refusals at the limit and in lists of active sessions
  14 grant              of the session
  15 endedSpan          how long the id to replace is remembered if it is unknown

Returns
  0 reserved           {0, reservationId, startedAt, expiresAt, serverTime, limit, {sessionId, …}}; the effective
                       limit, empty for none; then the active sessions that were ended to make room
  1 repeated           {1, reservationId, startedAt, expiresAt, serverTime, limit} of the first reservation, unchanged
  2 limit_reached      {2, limit, {sessionId, startedAt, expiresAt, details}, …} active slots, oldest first, at most 20
  3 organization_full  {3} the session would add a stream
  4 subject_blocked    {4} according to the viewer's document
  5 session_id_reused  {5, 1 if it is remembered for another request, else 0} not a repeat, or the reservation was undone
  6 unfinished         {6, {sessionId, …}} a portion of slots was removed and nothing reserved: call again with the same
                       arguments; lists the active sessions that were evicted

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970. Durations: milliseconds.
]]

--#include now
--#include text
--#include read-viewer
--#include read-record
--#include is-active
--#include slots
--#include ended-ids

local limit = tonumber(ARGV[5])
local viewer = readViewer(KEYS[6])
if viewer.status == 'blocked' then
  return { 4 }
end
if type(viewer.maximumConcurrentStreams) == 'number' then
  limit = viewer.maximumConcurrentStreams
end
local ceiling = tonumber(ARGV[6])
if ceiling and (not limit or ceiling < limit) then
  limit = ceiling
end

local endedUntil = redis.call(
  'ZMSCORE', KEYS[8],
  digestOfId(ARGV[1], ARGV[2]), digestOfReservation(ARGV[3], ARGV[1], ARGV[2])
)
-- This reservation was undone. Checked first: as a repeat, it would prevent another reservation from being undone.
if endedUntil[2] and tonumber(endedUntil[2]) > now then
  return { 5, 0 }
end

local record = readRecord(KEYS[1], 'state', 'reservationId', 'requestHash', 'startedAt', 'expiresAt', 'limit')
if record.state then
  local reservationId = record.reservationId
  local startedAt = tonumber(record.startedAt)
  local expiresAt = tonumber(record.expiresAt)
  local ofAnother = record.requestHash ~= ARGV[4]
  if ofAnother or not isActive(record, KEYS[2], ARGV[1]) then
    return { 5, ofAnother and 1 or 0 }
  end
  -- The client library repeats a call if its connection broke before the reply arrived.
  if reservationId == ARGV[3] then
    return { 0, reservationId, startedAt, expiresAt, now, record.limit, {} }
  end
  if nowMicroseconds - startedAt > tonumber(ARGV[11]) * 1000 then
    return { 5, 0 }
  end
  -- The reservation now belongs to two calls, so the first one must no longer undo it.
  redis.call('HSET', KEYS[1], 'repeated', '1')
  return { 1, reservationId, startedAt, expiresAt, now, record.limit }
end

if endedUntil[1] and tonumber(endedUntil[1]) > now then
  return { 5, 0 }
end

-- Takes a few milliseconds, and does not exceed the number of arguments that Lua can pass at once.
local portion = 500

local slots = { expiries = KEYS[2], starts = KEYS[3], details = KEYS[4], active = KEYS[5] }

local expired = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', text(now), 'LIMIT', 0, portion)
dropSlots(slots, ARGV[2], expired)
if #expired == portion then
  return { 6, {} }
end

local replaced = ARGV[9]
local replaces = replaced ~= '' and redis.call('ZSCORE', KEYS[2], replaced)
local taken = redis.call('ZCARD', KEYS[2])
if replaces then
  taken = taken - 1
end

local freed = {}
if limit and taken >= limit then
  -- At a limit of zero, there is nothing to evict.
  if ARGV[7] == 'reject' or limit < 1 then
    local reply = { 2, text(limit) }
    local oldest = redis.call('ZRANGE', KEYS[3], 0, 19, 'WITHSCORES')
    for i = 1, #oldest, 2 do
      local sessionId = oldest[i]
      local startedAt = tonumber(oldest[i + 1])
      local expiresAt = tonumber(redis.call('ZSCORE', KEYS[2], sessionId))
      local details = redis.call('HGET', KEYS[4], sessionId)
      table.insert(reply, { sessionId, startedAt, expiresAt, details })
    end
    return reply
  end
  -- Several if the limit was lowered. One more is read in case it is the replaced session, which is freed anyway.
  local tooMany = taken - limit + 1
  local most = math.min(tooMany, portion)
  for _, sessionId in ipairs(redis.call('ZRANGE', KEYS[3], 0, most)) do
    if #freed < most and not (replaces and sessionId == replaced) then
      table.insert(freed, sessionId)
    end
  end
  if tooMany > portion then
    dropSlots(slots, ARGV[2], freed)
    expireWithLastSlot(slots)
    return { 6, freed }
  end
end
if replaces then
  table.insert(freed, replaced)
end

if ARGV[8] == '1' and #freed == 0 then
  return { 3 }
end

-- From here on, nothing is refused.
dropSlots(slots, ARGV[2], freed)
-- Of the whole bucket: only this removes expired sessions from it; readers skip the remaining ones.
local expiredMembers = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', text(now), 'LIMIT', 0, portion)
if #expiredMembers > 0 then
  redis.call('ZREM', KEYS[5], unpack(expiredMembers))
end
-- The record of a session that has already ended is not changed.
if replaces then
  redis.call('HSET', KEYS[7], 'state', 'released', 'endedAt', text(now))
  redis.call('HDEL', KEYS[7], 'grant')
  redis.call('PEXPIREAT', KEYS[7], text(now + tonumber(ARGV[12])))
elseif replaced ~= '' and redis.call('EXISTS', KEYS[7]) == 0 then
  rememberEnded(KEYS[8], digestOfId(replaced, ARGV[2]), now + tonumber(ARGV[15]))
end
forgetEnded(KEYS[8])

-- Later than every other start, even within a microsecond or after the clock was set back, so that the order is stable.
local startedAt = nowMicroseconds
local newest = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
if newest[2] then
  startedAt = math.max(startedAt, tonumber(newest[2]) + 1)
end
local expiresAt = now + tonumber(ARGV[10])
local limitText = limit and text(limit) or ''

redis.call('ZADD', KEYS[2], text(expiresAt), ARGV[1])
redis.call('ZADD', KEYS[3], text(startedAt), ARGV[1])
redis.call('HSET', KEYS[4], ARGV[1], ARGV[13])
redis.call('ZADD', KEYS[5], text(expiresAt), ARGV[1] .. ':' .. ARGV[2])
redis.call(
  'HSET', KEYS[1],
  'state', 'reserved',
  'reservationId', ARGV[3],
  'requestHash', ARGV[4],
  'startedAt', text(startedAt),
  'expiresAt', text(expiresAt),
  'limit', limitText,
  'grant', ARGV[14]
)

redis.call('PEXPIREAT', KEYS[1], text(expiresAt + tonumber(ARGV[12])))
expireWithLastSlot(slots)

return { 0, ARGV[3], startedAt, expiresAt, now, limitText, freed }
