#!lua flags=allow-oom
--[[
Purpose
  Ends a session: frees its slot at once and remembers the id as ended, so that it cannot be reserved again while it is
  remembered. An ended session is never changed. Frees more memory than it takes, so that it can run on a full Redis.

KEYS
  1 slots          hash: session id → record, of the subject's sessions
  2 active         sorted set: sessionId:subject → expiresAt, of the environment's slots in the bucket
  3 ended          sorted set: digests of what has ended, of a sixteenth of the viewers in the bucket
  4 events         list: the events of the bucket's slots that were not read yet
  5 droppedEvents  hash: how many entries of this list were dropped, and of which time

ARGV
  1 sessionId
  2 subject
  3 reservationId  of the reservation to end; empty for any
  4 how            the end of the session: released or terminated
  5 retention      how long the id is remembered after its end
  6 environmentId
  7 eventBytes     how many bytes the list of events may take; 0: append none

Returns
  0 released           the slot is free
  1 unknown            the id is not remembered; nothing changed
  2 already_ended      the session was already released, terminated or evicted, or has expired; nothing changed
  3 other_reservation  the id is reserved under another reservationId; nothing changed

Units
  Durations: milliseconds.
]]

--#include now
--#include slots

local record = readRecord(KEYS[1], ARGV[1])
if not record and not wasCreated(endedSession(KEYS[3], ARGV[1], KEYS[1])) then
  return 1
end
if not record or record.expiresAt <= now then
  return 2
end
if ARGV[3] ~= '' and record.reservationId ~= ARGV[3] then
  return 3
end

local keys = {
  slots = KEYS[1], active = KEYS[2], ended = KEYS[3],
  events = KEYS[4], droppedEvents = KEYS[5], eventBytes = tonumber(ARGV[7]),
}
local rememberedUntil = now + tonumber(ARGV[5])
endSlots(keys, ARGV[6], ARGV[2], { { sessionId = ARGV[1], record = record } }, ARGV[4], function()
  return rememberedUntil
end)
return 0
