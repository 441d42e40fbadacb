--#include now

-- Returns whether a session is active, from the fields state and expiresAt of its record.
local function isActive(record, expiries, sessionId)
  return record.state == 'reserved' and tonumber(record.expiresAt) > now
    -- Absent if it was evicted: an eviction is not written to the record of the evicted session.
    and redis.call('ZSCORE', expiries, sessionId)
end
