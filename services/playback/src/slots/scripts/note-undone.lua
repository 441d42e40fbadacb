#!lua
--[[
Purpose
  Remembers a reservation that was undone before it arrived, so that it takes no slot if the network delivers it late. Stores a
  digest of a few bytes, together with the ended ids of the bucket. A full Redis refuses this script before it runs.

KEYS
  1 record  hash: the record of the session
  2 ended   sorted set: digest of reservationId, sessionId and subject → until when the reservation is remembered

ARGV
  1 sessionId
  2 subject
  3 reservationId  of the undone reservation
  4 span           how long it is remembered

Returns
  0 noted
  1 known  the reservation has arrived; nothing changed

Units
  Times: milliseconds since 1970. Durations: milliseconds.
]]

--#include now
--#include ended-ids

if redis.call('HGET', KEYS[1], 'reservationId') == ARGV[3] then
  return 1
end

forgetEnded(KEYS[2])
rememberEnded(KEYS[2], digestOfReservation(ARGV[3], ARGV[1], ARGV[2]), now + tonumber(ARGV[4]))
return 0
