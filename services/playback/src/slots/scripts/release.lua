#!lua flags=allow-oom
--[[
Purpose
  Ends a session: frees its slot at once and remembers the id as ended, so that it cannot be reserved again while it is
  remembered. An ended session is never changed. Adds no key, so that it can run on a full Redis.

KEYS
  1 record    hash: the record of the session
  2 expiries  sorted set: session id → expiresAt, of the subject's slots
  3 starts    sorted set: session id → startedAt, of the same slots
  4 details   hash: session id → JSON details, of the same slots
  5 active    sorted set: sessionId:subject → expiresAt, of all slots of the bucket

ARGV
  1 sessionId
  2 subject
  3 reservationId  of the reservation to end; empty for any
  4 state          the new state of the session: released or terminated
  5 retention      how long the id is remembered after its end

Returns
  0 released           the slot is free
  1 unknown            the id is not remembered; nothing changed
  2 already_ended      the session was already released, terminated or evicted, or has expired; nothing changed
  3 other_reservation  the id is reserved under another reservationId; nothing changed

Units
  Durations: milliseconds. Times written: startedAt in microseconds since 1970, the others in milliseconds since 1970.
]]

--#include now
--#include text
--#include read-record
--#include is-active
--#include slots

local record = readRecord(KEYS[1], 'state', 'reservationId', 'expiresAt')
if not record.state then
  return 1
end
if not isActive(record, KEYS[2], ARGV[1]) then
  return 2
end
if ARGV[3] ~= '' and record.reservationId ~= ARGV[3] then
  return 3
end

redis.call('HSET', KEYS[1], 'state', ARGV[4], 'endedAt', text(now))
redis.call('HDEL', KEYS[1], 'grant')
redis.call('PEXPIREAT', KEYS[1], text(now + tonumber(ARGV[5])))

local slots = { expiries = KEYS[2], starts = KEYS[3], details = KEYS[4], active = KEYS[5] }
dropSlots(slots, ARGV[2], { ARGV[1] })
expireWithLastSlot(slots)

return 0
