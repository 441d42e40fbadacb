#!lua
--[[
Purpose
  Reserves one of the subject's slots for a session, or returns the existing reservation for a repeated request.
  Decides before it changes anything. A refusal only removes expired slots of the subject, and counts sessions that start in the future as
  started now.
  A subject has at most 100 sessions, also with a higher limit or none.
  If the session to replace is unknown, its id is remembered. If the create of that session arrives later, it finds the id used and takes no
  slot. If Redis has lost that session, it is not restored. A reservation that arrives after it was undone
  takes no slot either.
  If very many expired or evicted slots must be removed first, it removes a portion of them and asks to be called again, so that other
  commands do not wait long.

KEYS
  1 slots          hash: session id → record, of the subject's sessions
  2 active         sorted set: sessionId:subject → expiresAt, of the environment's slots in the bucket
  3 ended          sorted set: digests of what has ended, of a sixteenth of the viewers in the bucket
  4 endUser        hash: the viewer's published document, in the field document
  5 expiring       sorted set: environment → a time at or before the earliest expiresAt of its slots in the bucket
  6 events         list: the events of the bucket's slots that were not read yet
  7 droppedEvents  hash: how many entries of this list were dropped, and of which time

ARGV
  1 sessionId
  2 subject
  3 reservationId       nonce of this call; becomes the id of a new reservation
  4 requestHash         equal for equal requests
  5 limit               slots that the subject may hold, unless the viewer has its own limit; empty for no limit
  6 limitCeiling        caps any limit; empty for none
  7 atStreamLimit       what happens at the limit: reject or evict-oldest
  8 organizationIsFull  1: refuse a session that would add a stream; 0: do not
  9 replaced            session of the subject to release; must differ from sessionId; empty for none
  10 lifetime           of the reservation
  11 repeatWindow       how long after the start an equal request counts as a repeat
  12 retention          how long an id is remembered after its end
  13 endedSpan          how long the id to replace is remembered if it is unknown
  14 details            shown in refusals at the limit and in lists of active sessions
  15 grant              of the session
  16 environmentId
  17 startsAreUsedUp    1: the organization may start no session now, so that only a repeat succeeds; 0: it may
  18 eventBytes         how many bytes the list of events may take; 0: append none

Returns
  0 reserved           {0, reservationId, startedAt, expiresAt, serverTime, limit, {sessionId, …}}; the effective
                       limit, empty for none; then the active sessions that were ended to make room
  1 repeated           {1, reservationId, startedAt, expiresAt, serverTime, limit, grant} of the first reservation, unchanged
  2 limit_reached      {2, limit, {sessionId, startedAt, expiresAt, details}, …} active slots, oldest first, at most 20
  3 organization_full  {3} the session would add a stream
  4 subject_blocked    {4} according to the viewer's document
  5 session_id_reused  {5, 1 if it is remembered for another request, else 0} not a repeat, or the reservation was undone
  6 unfinished         {6, {sessionId, …}} a portion of slots was removed and nothing reserved: call again with the same
                       arguments; lists the active sessions that were evicted
  7 starts_used_up     {7}

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970. Durations: milliseconds.
]]

--#include now
--#include text
--#include read-viewer
--#include slots

local sessionId, subject, reservationId, requestHash = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local atStreamLimit, organizationIsFull, replaced = ARGV[7], ARGV[8] == '1', ARGV[9]
local lifetime, repeatWindow, retention = tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local endedSpan, environmentId, startsAreUsedUp = tonumber(ARGV[13]), ARGV[16], ARGV[17] == '1'
local keys = {
  slots = KEYS[1], active = KEYS[2], ended = KEYS[3], expiring = KEYS[5],
  events = KEYS[6], droppedEvents = KEYS[7], eventBytes = tonumber(ARGV[18]),
}
local function afterExpiry(expiresAt)
  return expiresAt + retention
end

local limit = tonumber(ARGV[5])
local viewer = readViewer(KEYS[4])
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
-- Higher limits were possible in former versions.
if limit and limit > maximumSessions then
  limit = maximumSessions
end
local most = limit or maximumSessions

local scores = redis.call(
  'ZMSCORE', keys.ended,
  digestOfId(sessionId, keys.slots), digestOfReservation(reservationId, sessionId, keys.slots)
)
-- This reservation was undone. Checked first: as a repeat, it would prevent another reservation from being undone.
if readEnded(scores[2]) then
  return { 5, 0 }
end

local record = readRecord(keys.slots, sessionId)
-- The id of an expired session is forgotten after the retention, even if its record is still there.
if record and record.expiresAt + retention > now then
  startNoLaterThanNow(record, lifetime)
  local isOtherRequest = record.requestHash ~= requestHash
  if isOtherRequest or record.expiresAt <= now then
    return { 5, isOtherRequest and 1 or 0 }
  end
  local limitText = record.limit and text(record.limit) or ''
  -- The client library repeats a call if its connection broke before the reply arrived.
  if record.reservationId == reservationId then
    return { 0, record.reservationId, record.startedAt, record.expiresAt, now, limitText, {} }
  end
  if nowMicroseconds - record.startedAt > repeatWindow * 1000 then
    return { 5, 0 }
  end
  -- The reservation now belongs to two calls, so the first one must no longer undo it.
  record.repeated = true
  writeRecord(keys.slots, sessionId, record)
  return { 1, record.reservationId, record.startedAt, record.expiresAt, now, limitText, record.grant }
end
if record then
  endSlots(keys, environmentId, subject, { { sessionId = sessionId, record = record } }, 'expired', afterExpiry)
end

local ended = readEnded(scores[1])
if ended then
  return { 5, wasCreated(ended) and ended.fingerprint ~= fingerprintOf(requestHash) and 1 or 0 }
end

if startsAreUsedUp then
  return { 7 }
end

-- Takes a few milliseconds, and does not exceed the number of arguments that Lua can pass in one call.
local portion = 500

local replacedRecord = replaced ~= '' and readRecord(keys.slots, replaced) or nil
local replaces = replacedRecord and replacedRecord.expiresAt > now
local taken = countRecords(keys.slots)
local evicted, freedIds = {}, {}
-- Expired sessions count only here: below the limit, it does not matter how many of the records are theirs.
if taken - (replaces and 1 or 0) >= most then
  local active, expired = {}, {}
  local sessions = readSessions(keys.slots)
  settleStarts(keys, subject, sessions, lifetime)
  for _, session in ipairs(sessions) do
    table.insert(session.expiresAt > now and active or expired, session)
  end
  if #expired > 0 then
    local some = { unpack(expired, 1, portion) }
    endSlots(keys, environmentId, subject, some, 'expired', afterExpiry)
    if #some < #expired then
      return { 6, {} }
    end
  end
  taken = #active - (replaces and 1 or 0)
  if taken >= most then
    sortByStart(active)
    -- At a limit of zero, there is nothing to evict.
    if atStreamLimit == 'reject' or most < 1 then
      local reply = { 2, text(most) }
      for i = 1, math.min(#active, 20) do
        local details = unpackRecord(active[i].packed).details
        table.insert(reply, { active[i].sessionId, active[i].startedAt, active[i].expiresAt, details })
      end
      return reply
    end
    -- Several if the limit was lowered. The replaced session is freed anyway.
    local tooMany = taken - most + 1
    for _, session in ipairs(active) do
      if #evicted < math.min(tooMany, portion) and session.sessionId ~= replaced then
        table.insert(evicted, session)
        table.insert(freedIds, session.sessionId)
      end
    end
    if tooMany > portion then
      endSlots(keys, environmentId, subject, evicted, 'evicted', afterExpiry)
      return { 6, freedIds }
    end
  end
end

if organizationIsFull and #evicted == 0 and not replaces then
  return { 3 }
end

-- From here on, nothing is refused.
endSlots(keys, environmentId, subject, evicted, 'evicted', afterExpiry)
if replaces then
  endSlots(keys, environmentId, subject, { { sessionId = replaced, record = replacedRecord } }, 'replaced', function()
    return now + retention
  end)
  table.insert(freedIds, replaced)
elseif replaced ~= '' and not replacedRecord and not wasCreated(endedSession(keys.ended, replaced, keys.slots)) then
  rememberEnded(keys.ended, { { digestOfId(replaced, keys.slots), ends.neverCreated, 0, now + endedSpan } })
end

local others = countRecords(keys.slots)
local startedAt = nextStart(keys, subject, others, lifetime)
local expiresAt = now + lifetime
addSlot(keys, environmentId, subject, sessionId, {
  startedAt = startedAt,
  expiresAt = expiresAt,
  reservationId = reservationId,
  requestHash = requestHash,
  limit = limit,
  details = ARGV[14],
  grant = ARGV[15],
}, sessionStarted, replaced, others + 1)

return { 0, reservationId, startedAt, expiresAt, now, limit and text(limit) or '', freedIds }
