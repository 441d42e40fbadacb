--#include now
--#include text
--#include expire-with-last-of

local function digestOf(text)
  return string.sub(redis.sha1hex(text), 1, 20)
end

-- Returns the digest of an id that ended before its create.
local function digestOfId(sessionId, subject)
  return digestOf(sessionId .. ':' .. subject)
end

-- Returns the digest of a reservation that was undone before it arrived. It cannot equal that of an id, whose text starts with
-- the session id, never with a colon.
local function digestOfReservation(reservationId, sessionId, subject)
  return digestOf(':' .. reservationId .. ':' .. sessionId .. ':' .. subject)
end

-- Removes a few digests whose time is over. Enough for each call, which adds at most one.
local function forgetEnded(ended)
  local forgotten = redis.call('ZRANGEBYSCORE', ended, '-inf', text(now), 'LIMIT', 0, 10)
  if #forgotten > 0 then
    redis.call('ZREM', ended, unpack(forgotten))
  end
end

local function rememberEnded(ended, digest, rememberedUntil)
  redis.call('ZADD', ended, 'GT', text(rememberedUntil), digest)
  expireWithLastOf(ended, { ended })
end
