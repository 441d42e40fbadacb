--#include expire-with-last-of

-- `slots` names the keys: expiries, starts and details of a subject's slots, and active of all slots of its bucket.

-- Removes slots of a subject.
local function dropSlots(slots, subject, sessionIds)
  if #sessionIds == 0 then
    return
  end
  local members = {}
  for _, sessionId in ipairs(sessionIds) do
    table.insert(members, sessionId .. ':' .. subject)
  end
  redis.call('ZREM', slots.expiries, unpack(sessionIds))
  redis.call('ZREM', slots.starts, unpack(sessionIds))
  redis.call('HDEL', slots.details, unpack(sessionIds))
  redis.call('ZREM', slots.active, unpack(members))
end

-- Has the keys expire with the last slot in them.
local function expireWithLastSlot(slots)
  expireWithLastOf(slots.expiries, { slots.expiries, slots.starts, slots.details })
  expireWithLastOf(slots.active, { slots.active })
end
