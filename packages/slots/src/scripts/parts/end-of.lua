--#include now
--#include ended-ids

-- Returns how a session has ended, as the return code of find.lua, renew.lua and count-license-request.lua; 0 if it is active.
-- `record`: its record; nil if it has none. `retention`: how long an id is remembered after its end.
local function endOf(record, ended, sessionId, slots, retention)
  if record then
    if record.expiresAt > now then
      return 0
    end
    return 5
  end
  local session = endedSession(ended, sessionId, slots)
  if not wasCreated(session) then
    return 1
  end
  if session.how == ends.released then
    return 2
  end
  if session.how == ends.terminated then
    return 3
  end
  -- An id is remembered for the retention after its expiresAt. From expiresAt on, the session counts as expired.
  if session.how == ends.evicted and session.rememberedUntil - retention > now then
    return 4
  end
  return 5
end
