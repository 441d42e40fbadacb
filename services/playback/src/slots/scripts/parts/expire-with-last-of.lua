--#include text

-- Has keys expire together with the last member of a set of times.
local function expireWithLastOf(set, keys)
  local last = redis.call('ZREVRANGE', set, 0, 0, 'WITHSCORES')
  if last[2] then
    -- In the past if only expired members are left; the keys are then removed at once.
    local lastExpiresAt = text(tonumber(last[2]))
    for _, key in ipairs(keys) do
      redis.call('PEXPIREAT', key, lastExpiresAt)
    end
  end
end
