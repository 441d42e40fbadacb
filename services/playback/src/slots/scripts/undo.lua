#!lua flags=allow-oom
--[[
Purpose
  Undoes a reservation whose response never reached the caller: frees the slot and forgets the id, as if the session had never
  been requested. Sessions that it evicted or replaced are not restored. A reservation that has not arrived yet is remembered
  by note-undone.lua, separately, because a full Redis accepts this script but no new data.

KEYS
  1 record    hash: the record of the session
  2 expiries  sorted set: session id → expiresAt, of the subject's slots
  3 starts    sorted set: session id → startedAt, of the same slots
  4 details   hash: session id → JSON details, of the same slots
  5 active    sorted set: sessionId:subject → expiresAt, of all slots of the bucket

ARGV
  1 sessionId
  2 subject
  3 reservationId  of the reservation to undo

Returns
  0 undone             the slot is free and the id forgotten
  1 repeated           another call got the reservation too, so it stays; nothing changed
  2 not_reserved       the session has ended; nothing changed
  3 other_reservation  the id is reserved under another reservationId; nothing changed
  4 unknown            the id is unknown; nothing changed

Units
  Times read: milliseconds since 1970.
]]

--#include read-record
--#include is-active
--#include slots

local record = readRecord(KEYS[1], 'state', 'reservationId', 'expiresAt', 'repeated')
if not record.state then
  return 4
end
if not isActive(record, KEYS[2], ARGV[1]) then
  return 2
end
if record.reservationId ~= ARGV[3] then
  return 3
end
if record.repeated then
  return 1
end

redis.call('DEL', KEYS[1])
local slots = { expiries = KEYS[2], starts = KEYS[3], details = KEYS[4], active = KEYS[5] }
dropSlots(slots, ARGV[2], { ARGV[1] })
expireWithLastSlot(slots)

return 0
