--#include now
--#include is-active

-- Returns how a session has ended, as the return code of find.lua, renew.lua and count-license-request.lua; 0 if it is active.
local function endOf(record, expiries, sessionId)
  if isActive(record, expiries, sessionId) then
    return 0
  end
  if not record.state then
    return 1
  end
  if record.state == 'released' then
    return 2
  end
  if record.state == 'terminated' then
    return 3
  end
  if tonumber(record.expiresAt) > now then
    return 4
  end
  return 5
end
