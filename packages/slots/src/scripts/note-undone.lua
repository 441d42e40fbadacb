#!lua
--[[
Purpose
  Remembers a reservation that was undone before it arrived, so that it takes no slot if the network delivers it late. Stores a
  digest of a few bytes, together with the ended ids of the bucket. A full Redis refuses this script before it runs.

KEYS
  1 slots  hash: session id → record, of the subject's sessions
  2 ended  sorted set: digests of what has ended, of a sixteenth of the viewers in the bucket

ARGV
  1 sessionId
  2 reservationId  of the undone reservation
  3 span           how long it is remembered

Returns
  0 noted
  1 known  the reservation has arrived; nothing changed

Units
  Durations: milliseconds.
]]

--#include now
--#include record
--#include ended-ids

local record = readRecord(KEYS[1], ARGV[1])
if record and record.reservationId == ARGV[2] then
  return 1
end

local digest = digestOfReservation(ARGV[2], ARGV[1], KEYS[1])
rememberEnded(KEYS[2], { { digest, ends.neverCreated, 0, now + tonumber(ARGV[3]) } })
return 0
