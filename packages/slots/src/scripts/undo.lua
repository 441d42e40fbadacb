#!lua flags=allow-oom
--[[
Purpose
  Undoes a reservation whose response never reached the caller: frees the slot and forgets the id, as if the session had never
  been requested. Sessions that it evicted or replaced are not restored. A reservation that has not arrived yet is remembered
  by note-undone.lua, separately, because a full Redis accepts this script but no new data.

KEYS
  1 slots          hash: session id → record, of the subject's sessions
  2 active         sorted set: sessionId:subject → expiresAt, of the environment's slots in the bucket
  3 ended          sorted set: digests of what has ended, of a sixteenth of the viewers in the bucket
  4 events         list: the events of the bucket's slots that were not read yet
  5 droppedEvents  hash: how many entries of this list were dropped, and of which time

ARGV
  1 sessionId
  2 subject
  3 reservationId  of the reservation to undo
  4 environmentId
  5 eventBytes     how many bytes the list of events may take; 0: append none

Returns
  0 undone             the slot is free and the id forgotten
  1 repeated           another call got the reservation too, so it stays; nothing changed
  2 not_reserved       the session has ended; nothing changed
  3 other_reservation  the id is reserved under another reservationId; nothing changed
  4 unknown            the id is unknown; nothing changed
]]

--#include now
--#include slots

local record = readRecord(KEYS[1], ARGV[1])
if not record and not wasCreated(endedSession(KEYS[3], ARGV[1], KEYS[1])) then
  return 4
end
if not record or record.expiresAt <= now then
  return 2
end
if record.reservationId ~= ARGV[3] then
  return 3
end
if record.repeated then
  return 1
end

local keys = {
  slots = KEYS[1], active = KEYS[2],
  events = KEYS[4], droppedEvents = KEYS[5], eventBytes = tonumber(ARGV[5]),
}
dropSlots(keys, ARGV[4], ARGV[2], { { sessionId = ARGV[1], record = record } }, 'undone')
return 0
