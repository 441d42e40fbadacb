--#include now
--#include end-of
--#include read-viewer

-- Returns why a call of a player on its session is refused, as the return code of renew.lua and count-license-request.lua; 0 if
-- it is not. `ended`: what endOf has returned for the session and its record.
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

local minute = math.floor(now / 60000)
local secondsUntilMinuteEnds = math.ceil(((minute + 1) * 60000 - now) / 1000)

-- Sets the record's counters of calls to zero if its last call was in another clock minute.
local function beginMinute(record)
  if record.minute ~= minute then
    record.minute, record.renewals, record.licenses = minute, 0, 0
  end
end
