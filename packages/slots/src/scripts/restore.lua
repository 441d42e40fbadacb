#!lua
--[[
Purpose
  Restores a session that Redis has lost: reserves its slot again with the values of its license token, if the limit has room. Never evicts.
  Decides before it changes anything. A full Redis refuses this script before it runs.

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
  3 reservationId       of the lost reservation; also of the new one
  4 startedAt
  5 expiresAt
  6 limit               that applied to the session; empty for none. The viewer's own limit counts if it is lower
  7 organizationIsFull  1: refuse, because the session would add a stream; 0: do not
  8 details             shown in refusals at the limit and in lists of active sessions
  9 grant               of the session
  10 environmentId
  11 lifetime           from now to the latest possible expiresAt
  12 eventBytes         how many bytes the list of events may take; 0: append none

Returns
  0 reserved           {0}
  1 known              {1} the id has a record, or it or the reservation is remembered as ended
  2 expired            {2} expiresAt is not in the future
  3 subject_blocked    {3} according to the viewer's document
  4 limit_reached      {4}
  5 organization_full  {5} the session would add a stream

Units
  startedAt: microseconds since 1970. Other times: milliseconds since 1970. Durations: milliseconds.
]]

--#include now
--#include text
--#include read-viewer
--#include slots

local keys = {
  slots = KEYS[1], active = KEYS[2], ended = KEYS[3], expiring = KEYS[5],
  events = KEYS[6], droppedEvents = KEYS[7], eventBytes = tonumber(ARGV[12]),
}
local sessionId, reservationId = ARGV[1], ARGV[3]
-- Later ones were signed before the clock of Redis was set back.
local startedAt = math.min(tonumber(ARGV[4]), nowMicroseconds)
local expiresAt = math.min(tonumber(ARGV[5]), now + tonumber(ARGV[11]))

local scores = redis.call(
  'ZMSCORE', keys.ended,
  digestOfId(sessionId, keys.slots), digestOfReservation(reservationId, sessionId, keys.slots)
)
if redis.call('HEXISTS', keys.slots, sessionId) == 1 or readEnded(scores[1]) or readEnded(scores[2]) then
  return { 1 }
end
if expiresAt <= now then
  return { 2 }
end

local viewer = readViewer(KEYS[4])
if viewer.status == 'blocked' then
  return { 3 }
end
local limit = tonumber(ARGV[6])
local most = math.min(limit or maximumSessions, tonumber(viewer.maximumConcurrentStreams) or maximumSessions, maximumSessions)
local sessions = readSessions(keys.slots)
local active, newest, starts = 0, 0, {}
for _, session in ipairs(sessions) do
  if session.expiresAt > now then
    active = active + 1
  end
  newest = math.max(newest, session.startedAt)
  starts[session.startedAt] = true
end
if active >= most then
  return { 4 }
end
if ARGV[7] == '1' then
  return { 5 }
end

-- From here on, nothing is refused.
-- The token has only milliseconds, and starts must differ.
while starts[startedAt] do
  startedAt = startedAt + 1
end
if #sessions > 0 then
  local noted = tonumber(redis.call('HGET', keys.slots, newestStart) or nil) or 0
  redis.call('HSET', keys.slots, newestStart, text(math.max(noted, newest, startedAt)))
end
-- Without the hash of the request that created the session, a repeat of that request counts as another one.
addSlot(keys, ARGV[10], ARGV[2], sessionId, {
  startedAt = startedAt,
  expiresAt = expiresAt,
  reservationId = reservationId,
  requestHash = '',
  limit = limit,
  details = ARGV[8],
  grant = ARGV[9],
}, sessionResumed)
return { 0 }
