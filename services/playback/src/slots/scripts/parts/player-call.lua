--#include now
--#include text
--#include end-of
--#include read-viewer

-- Returns why a call of a player on its session is refused, as the return code of renew.lua and count-license-request.lua; 0 if
-- it is not.
local function refusalOf(record, expiries, sessionId, reservationId, endUser)
  local ended = endOf(record, expiries, sessionId)
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

local minutesSince1970 = math.floor(now / 60000)
local minute = text(minutesSince1970)
local secondsUntilMinuteEnds = math.ceil(((minutesSince1970 + 1) * 60000 - now) / 1000)

-- Returns how many calls a session has made in this clock minute, from the last minute with calls and their number.
local function callsInMinute(lastMinute, calls)
  return lastMinute == minute and tonumber(calls) or 0
end
