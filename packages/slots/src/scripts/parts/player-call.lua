--#include now
--#include record
--#include end-of
--#include read-viewer

-- `ended`: what endOf has returned for the session and its record.
local function refusalOf(record, reservationId, ended, endUser)
  if ended > 0 then
    return ended
  end
  if record.reservationId ~= reservationId then
    return 6
  end
  if readViewer(endUser).status == 'blocked' then
    return 7
  end
  return 0
end

-- Returns the reply to a call beyond the limit of this clock minute.
local function rateLimited(minute)
  return { 8, math.ceil(((minute + 1) * 60000 - now) / 1000) }
end

-- Begins a call of a player on its session: returns the record with the call counted, not yet written, and nil; or nil and the
-- refusal, a reply of renew.lua and count-license-request.lua.
--   keys: slots, ended and endUser
--   counter: the field of the record that counts the calls of this kind in one clock minute
--   most: how many there may be; nil for no limit
local function beginCall(keys, sessionId, reservationId, retention, counter, most)
  local record = readRecord(keys.slots, sessionId)
  local ended = endOf(record, keys.ended, sessionId, keys.slots, retention)
  local refusal = refusalOf(record, reservationId, ended, keys.endUser)
  if refusal > 0 then
    return nil, { refusal }
  end
  local minute = math.floor(now / 60000)
  if record.minute ~= minute then
    record.minute, record.renewals, record.licenses = minute, 0, 0
  end
  if most and record[counter] >= most then
    return nil, rateLimited(minute)
  end
  record[counter] = record[counter] + 1
  return record, nil
end
