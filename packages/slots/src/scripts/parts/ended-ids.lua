--#include now
--#include text

-- What has ended, in a sorted set: a digest of 16 bytes → a score of 53 bits, which a double holds exactly:
--   32 bits  until when it is remembered, in seconds since 1970, rounded up
--   18 bits  a fingerprint of the request that created the session; 0 without one
--    3 bits  how it has ended
-- `neverCreated` is the end of an id that was released or replaced before its create arrived, and of a reservation that was undone
-- before it arrived. The last two are only for events: a replaced session is remembered as released, an undone one not at all.
local ends = { neverCreated = 1, released = 2, terminated = 3, evicted = 4, expired = 5, replaced = 6, undone = 7 }
local perSecond, perFingerprint = 2 ^ 21, 2 ^ 3

local function digestOf(identity)
  local hex = redis.sha1hex(identity)
  return struct.pack(
    '>I4I4I4I4',
    tonumber(string.sub(hex, 1, 8), 16), tonumber(string.sub(hex, 9, 16), 16),
    tonumber(string.sub(hex, 17, 24), 16), tonumber(string.sub(hex, 25, 32), 16)
  )
end

-- `slots`: the key of the subject's sessions, which names environment and subject.
local function digestOfId(sessionId, slots)
  return digestOf(sessionId .. ':' .. slots)
end

-- Cannot equal the digest of an id: that text begins with the session id, never with a colon.
local function digestOfReservation(reservationId, sessionId, slots)
  return digestOf(':' .. reservationId .. ':' .. sessionId .. ':' .. slots)
end

-- Distinguishes the request that created an ended session from others with the same id. One in 262,144 others is not distinguished.
local function fingerprintOf(requestHash)
  return math.floor(tonumber(string.sub(redis.sha1hex(requestHash), 1, 5), 16) / 4)
end

-- Reads a score; nil if there is none or its time is over.
local function readEnded(score)
  score = tonumber(score or 0)
  local rememberedUntil = math.floor(score / perSecond) * 1000
  if rememberedUntil <= now then
    return nil
  end
  return {
    rememberedUntil = rememberedUntil,
    fingerprint = math.floor(score / perFingerprint) % (perSecond / perFingerprint),
    how = score % perFingerprint,
  }
end

-- Returns how a session without a record has ended; nil if it is not remembered.
local function endedSession(ended, sessionId, slots)
  return readEnded(redis.call('ZSCORE', ended, digestOfId(sessionId, slots)))
end

-- Returns whether a session with this id was created, according to what endedSession has returned.
local function wasCreated(endedSession)
  return endedSession and endedSession.how ~= ends.neverCreated
end

-- Remembers digests: a list of {digest, how, fingerprint, until in milliseconds since 1970}. Before that, forgets some digests whose time
-- is over.
local function rememberEnded(ended, entries)
  local over = text(math.floor(now / 1000) * perSecond + perSecond - 1)
  local forgotten = redis.call('ZRANGEBYSCORE', ended, '-inf', over, 'LIMIT', 0, 10 + #entries)
  if #forgotten > 0 then
    redis.call('ZREM', ended, unpack(forgotten))
  end
  local added = {}
  for _, entry in ipairs(entries) do
    if entry[4] > now then
      local seconds = math.min(math.ceil(entry[4] / 1000), 2 ^ 32 - 1)
      local score = seconds * perSecond + entry[3] * perFingerprint + entry[2]
      table.insert(added, text(score))
      table.insert(added, entry[1])
    end
  end
  if #added > 0 then
    -- The later time stays if one of them is remembered already.
    redis.call('ZADD', ended, 'GT', unpack(added))
    local last = redis.call('ZREVRANGE', ended, 0, 0, 'WITHSCORES')
    redis.call('PEXPIREAT', ended, text(math.floor(tonumber(last[2]) / perSecond) * 1000))
  end
end
