#!lua
--[[
Purpose
  Gives a session one of the subject's slots, or gives a repeated request the reservation it already has.
  Decides everything first: on a refusal nothing has changed, but that the subject's expired slots are dropped.
  A reservation that replaces a session remembers its id for a while even where the id is unknown: a create that was
  overtaken by its own replacement then finds the id used, and takes no slot. Nor does a reservation that comes after it
  was taken back.
  Runs as one step: nothing comes between. Where very many slots are to be dropped first, expired ones or ones above the
  limit that are evicted anyway, it drops a portion and asks to be called again, so that nobody waits long for Redis.

KEYS
  1 record          hash: what is remembered of the session
  2 expiries        sorted set: session id → expiresAt, of the subject's slots
  3 starts          sorted set: session id → startedAt, of the same slots
  4 details         hash: session id → JSON details, of the same slots
  5 live            sorted set: sessionId:subject → expiresAt, of all slots of the bucket
  6 endUser         hash: field document: the published document of the viewer
  7 replacedRecord  the record of the session to replace; the session's own where there is none
  8 ended           sorted set: digest of sessionId:subject → until when an id is remembered that was ended before its create;
                    digest of reservationId, sessionId and subject → until when one is noted that was taken back before it came

ARGV
  1 sessionId
  2 subject
  3 reservationId       nonce of this call; becomes the reservation's id if the call makes one
  4 requestHash         equal for equal requests
  5 limit               slots that the subject may hold, unless the viewer has a limit of its own; empty for no limit
  6 limitCeiling        what no limit may exceed; empty for none
  7 atStreamLimit       what happens at the limit: reject or evict-oldest
  8 organizationIsFull  1: refuse to add a stream; 0: do not
  9 replacesSessionId   session of the subject that is released in exchange; another than sessionId; empty for none
  10 lifetime           of the reservation
  11 repeatWindow       how long after the start an equal request is a repeat
  12 retention          how long an id is remembered past its end
  13 details            JSON, shown when the limit refuses another session, and by the live list
  14 terms              kept in the record
  15 endedSpan          how long the id to replace is remembered where it is unknown

Returns
  0 reserved           {0, reservationId, startedAt, expiresAt, serverTime, limit, {sessionId, …}}; limit as decided on,
                       empty for none; then the live sessions that made room
  1 repeated           {1, reservationId, startedAt, expiresAt, serverTime, limit} of the first reservation, unchanged
  2 limit_reached      {2, limit, {sessionId, startedAt, expiresAt, details}, …} live slots, oldest first, at most 20
  3 organization_full  {3} the session would add a stream
  4 subject_blocked    {4} the viewer's document says so
  5 session_id_reused  {5, 1 where it is remembered for another request, else 0} this is no repeat, or was taken back
  6 unfinished         {6, {sessionId, …}} a portion of slots was dropped and nothing reserved: call again with the same
                       arguments; the live sessions that were evicted

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970. Spans: milliseconds.
]]

local time = redis.call('TIME')
local nowMicroseconds = tonumber(time[1]) * 1000000 + tonumber(time[2])
local now = math.floor(nowMicroseconds / 1000)

local function text(integer)
  return string.format('%.0f', integer)
end

local limit = tonumber(ARGV[5])
local document = redis.call('HGET', KEYS[6], 'document')
-- Empty where the viewer was archived: it plays as one that was never synchronized.
if document and document ~= '' then
  local viewer = cjson.decode(document)
  if viewer.status == 'blocked' then
    return { 4 }
  end
  if type(viewer.maximumConcurrentStreams) == 'number' then
    limit = viewer.maximumConcurrentStreams
  end
end
local ceiling = tonumber(ARGV[6])
if ceiling and (not limit or ceiling < limit) then
  limit = ceiling
end

local function digestOf(text)
  return string.sub(redis.sha1hex(text), 1, 20)
end
local ownId = ARGV[1] .. ':' .. ARGV[2]
local endedUntil = redis.call('ZMSCORE', KEYS[8], digestOf(ownId), digestOf(':' .. ARGV[3] .. ':' .. ownId))
-- Nobody waits for it any more. Before all else: as a repeat it would keep another reservation from being taken back.
if endedUntil[2] and tonumber(endedUntil[2]) > now then
  return { 5, 0 }
end

local record = redis.call('HMGET', KEYS[1], 'state', 'reservationId', 'requestHash', 'startedAt', 'expiresAt', 'limit')
if record[1] then
  local reservationId = record[2]
  local startedAt = tonumber(record[4])
  local expiresAt = tonumber(record[5])
  local live = record[1] == 'reserved' and expiresAt > now
    -- Not so where it was evicted.
    and redis.call('ZSCORE', KEYS[2], ARGV[1])
  local ofAnother = record[3] and record[3] ~= ARGV[4]
  if not live or ofAnother then
    return { 5, ofAnother and 1 or 0 }
  end
  -- The client library sends a call again when its connection broke before the answer came.
  if reservationId == ARGV[3] then
    return { 0, reservationId, startedAt, expiresAt, now, record[6], {} }
  end
  if nowMicroseconds - startedAt > tonumber(ARGV[11]) * 1000 then
    return { 5, 0 }
  end
  -- From here on the reservation is not the first call's alone: it must not undo it any more.
  redis.call('HSET', KEYS[1], 'repeated', '1')
  return { 1, reservationId, startedAt, expiresAt, now, record[6] }
end

if endedUntil[1] and tonumber(endedUntil[1]) > now then
  return { 5, 0 }
end

-- Some milliseconds, and no more arguments than Lua can pass at once.
local portion = 500

local function drop(sessionIds)
  if #sessionIds == 0 then
    return
  end
  local members = {}
  for _, sessionId in ipairs(sessionIds) do
    table.insert(members, sessionId .. ':' .. ARGV[2])
  end
  redis.call('ZREM', KEYS[2], unpack(sessionIds))
  redis.call('ZREM', KEYS[3], unpack(sessionIds))
  redis.call('HDEL', KEYS[4], unpack(sessionIds))
  redis.call('ZREM', KEYS[5], unpack(members))
end
local function goWithTheLastOf(set, keys)
  local last = redis.call('ZREVRANGE', set, 0, 0, 'WITHSCORES')
  if last[2] then
    -- May be past, where only expired ones are left: then they go at once.
    local lastExpiresAt = text(tonumber(last[2]))
    for _, key in ipairs(keys) do
      redis.call('PEXPIREAT', key, lastExpiresAt)
    end
  end
end

local expired = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', text(now), 'LIMIT', 0, portion)
drop(expired)
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
  -- At a limit of zero no eviction makes room.
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
  -- Several where the limit was lowered; one more is read for the replaced session, which is freed anyway.
  local tooMany = taken - limit + 1
  local most = math.min(tooMany, portion)
  for _, sessionId in ipairs(redis.call('ZRANGE', KEYS[3], 0, most)) do
    if #freed < most and not (replaces and sessionId == replaced) then
      table.insert(freed, sessionId)
    end
  end
  if tooMany > portion then
    drop(freed)
    goWithTheLastOf(KEYS[2], { KEYS[2], KEYS[3], KEYS[4] })
    goWithTheLastOf(KEYS[5], { KEYS[5] })
    return { 6, freed }
  end
end
if replaces then
  table.insert(freed, replaced)
end

if ARGV[8] == '1' and #freed == 0 then
  return { 3 }
end

-- Nothing is refused any more.
drop(freed)
-- Of the whole bucket: nobody else takes out of it what has expired, and those who read it pass over what is left.
local expiredMembers = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', text(now), 'LIMIT', 0, portion)
if #expiredMembers > 0 then
  redis.call('ZREM', KEYS[5], unpack(expiredMembers))
end
-- A record of one that has ended otherwise stays as it is.
if replaces then
  redis.call('HSET', KEYS[7], 'state', 'released', 'endedAt', text(now))
  redis.call('HDEL', KEYS[7], 'terms')
  redis.call('PEXPIREAT', KEYS[7], text(now + tonumber(ARGV[12])))
elseif replaced ~= '' and redis.call('EXISTS', KEYS[7]) == 0 then
  redis.call('ZADD', KEYS[8], 'GT', text(now + tonumber(ARGV[15])), digestOf(replaced .. ':' .. ARGV[2]))
end
-- A few at a time: each call adds one at most.
local forgotten = redis.call('ZRANGEBYSCORE', KEYS[8], '-inf', text(now), 'LIMIT', 0, 10)
if #forgotten > 0 then
  redis.call('ZREM', KEYS[8], unpack(forgotten))
end

-- Later than every other start, also within one microsecond and after the clock was set back: the order must be stable.
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
  'terms', ARGV[14]
)

redis.call('PEXPIREAT', KEYS[1], text(expiresAt + tonumber(ARGV[12])))
goWithTheLastOf(KEYS[2], { KEYS[2], KEYS[3], KEYS[4] })
goWithTheLastOf(KEYS[5], { KEYS[5] })
goWithTheLastOf(KEYS[8], { KEYS[8] })

return { 0, ARGV[3], startedAt, expiresAt, now, limitText, freed }
