--#include now
--#include text
--#include record
--#include ended-ids
--#include events

-- `keys` names the keys: slots of the subject, active of the environment in its bucket, ended, and expiring of the bucket; and what
-- events.lua says.

-- How many active sessions a subject may have, even with a higher limit or none. A subject is a person, and a script that handles all of
-- its sessions must take only a short time. stream-limit-step.ts has the same number.
local maximumSessions = 100

-- The field of `slots` that holds the start of the newest session: no session has this id. It is there once the subject has had a
-- second session, so that most subjects do not need it.
local newestStart = ''

-- Returns how many sessions have a record, including expired ones.
local function countRecords(slots)
  return redis.call('HLEN', slots) - redis.call('HEXISTS', slots, newestStart)
end

-- Returns {sessionId, startedAt, expiresAt, packed record} of every session with a record, in no order. Takes about a microsecond for
-- each.
local function readSessions(slots)
  local sessions = {}
  local all = redis.call('HGETALL', slots)
  for i = 1, #all, 2 do
    if all[i] ~= newestStart then
      local startedAt, expiresAt = timesOfRecord(all[i + 1])
      table.insert(sessions, { sessionId = all[i], startedAt = startedAt, expiresAt = expiresAt, packed = all[i + 1] })
    end
  end
  return sessions
end

-- Takes as long as reading them.
local function sortByStart(sessions)
  table.sort(sessions, function(one, other)
    return one.startedAt < other.startedAt
  end)
end

-- Stores sessions that start in the future as started now, in their order: the clock of Redis was set back since. Otherwise a session that
-- is never renewed would hold its slot until the clock has caught up.
--   sessions: from readSessions
--   lifetime: what may be left of each
local function settleStarts(keys, subject, sessions, lifetime)
  local ahead = {}
  for _, session in ipairs(sessions) do
    if session.startedAt > nowMicroseconds then
      table.insert(ahead, session)
    end
  end
  sortByStart(ahead)
  for i, session in ipairs(ahead) do
    local record = unpackRecord(session.packed)
    startNoLaterThanNow(record, lifetime)
    -- Starts must differ, and the next one is now.
    record.startedAt = nowMicroseconds - (#ahead + 1 - i)
    writeRecord(keys.slots, session.sessionId, record)
    redis.call('ZADD', keys.active, text(record.expiresAt), session.sessionId .. ':' .. subject)
    session.startedAt, session.expiresAt, session.packed = record.startedAt, record.expiresAt, packRecord(record)
  end
end

-- Returns a start that is later than every other start, so that the order is stable: also for two starts in one microsecond, or after the
-- clock was set back.
--   others: how many other sessions have a record
--   lifetime: as in settleStarts
local function nextStart(keys, subject, others, lifetime)
  if others == 0 then
    return nowMicroseconds
  end
  local newest = tonumber(redis.call('HGET', keys.slots, newestStart) or nil)
  if not newest then
    newest = timesOfRecord(redis.call('HVALS', keys.slots)[1])
  end
  if newest > nowMicroseconds then
    settleStarts(keys, subject, readSessions(keys.slots), lifetime)
    newest = nowMicroseconds - 1
  end
  local start = math.max(nowMicroseconds, newest + 1)
  redis.call('HSET', keys.slots, newestStart, text(start))
  return start
end

-- Stores a session that has made no calls yet, and its slot, and appends its start. Sets when the sweep must look: a later time would be
-- too late for the earliest of the environment's slots in the bucket.
--   session: the fields of its record, without counters
--   kind: of the event; then come the values of this kind
local function addSlot(keys, environmentId, subject, sessionId, session, kind, ...)
  session.repeated, session.licenseRequests = false, 0
  session.minute, session.renewals, session.licenses = 0, 0, 0
  writeRecord(keys.slots, sessionId, session)
  local expiresAt = text(session.expiresAt)
  redis.call('ZADD', keys.active, expiresAt, sessionId .. ':' .. subject)
  redis.call('ZADD', keys.expiring, 'LT', expiresAt, environmentId)
  if keys.eventBytes > 0 then
    appendEvents(keys, { packEvent(kind, environmentId, subject, sessionId, session, nowMicroseconds, ...) })
  end
end

-- Removes the records and slots of a subject's sessions, a list of {sessionId, record}, and appends their ends. `reason`: a name in ends.
local function dropSlots(keys, environmentId, subject, sessions, reason)
  if #sessions == 0 then
    return
  end
  local sessionIds, members, events = {}, {}, {}
  for _, session in ipairs(sessions) do
    local sessionId, record = session.sessionId, session.record
    table.insert(sessionIds, sessionId)
    table.insert(members, sessionId .. ':' .. subject)
    if keys.eventBytes > 0 then
      local at = reason == 'expired' and record.expiresAt * 1000 or nowMicroseconds
      table.insert(events, packEvent(
        sessionEnded, environmentId, subject, sessionId, record, at, ends[reason], record.licenseRequests
      ))
    end
  end
  redis.call('HDEL', keys.slots, unpack(sessionIds))
  redis.call('ZREM', keys.active, unpack(members))
  if countRecords(keys.slots) == 0 then
    redis.call('DEL', keys.slots)
  end
  if #events > 0 then
    appendEvents(keys, events)
  end
end

-- Ends sessions: a list of {sessionId, packed record or record}. Remembers their ids; an ended session takes less memory than an active
-- one. `rememberedUntil` returns until when, from the session's expiresAt.
local function endSlots(keys, environmentId, subject, sessions, reason, rememberedUntil)
  local entries = {}
  local how = reason == 'replaced' and ends.released or ends[reason]
  for _, session in ipairs(sessions) do
    local record = session.record or unpackRecord(session.packed)
    session.record = record
    table.insert(entries, {
      digestOfId(session.sessionId, keys.slots), how, fingerprintOf(record.requestHash), rememberedUntil(record.expiresAt),
    })
  end
  dropSlots(keys, environmentId, subject, sessions, reason)
  rememberEnded(keys.ended, entries)
end
