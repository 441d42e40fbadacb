--#include now

-- The record of a session: MessagePack, one value after the other, in the order of unpackRecord. packed-record.ts reads it, too.
-- The first value is the version of this layout; the next two are read alone where many sessions are compared.
--
-- Times: startedAt in microseconds since 1970, expiresAt in milliseconds since 1970, minute in minutes since 1970.
-- repeated: a repeated request got the reservation, too. renewals and licenses: the calls in `minute`.
local recordVersion = 1

local function packRecord(record)
  return cmsgpack.pack(
    recordVersion, record.startedAt, record.expiresAt,
    record.reservationId, record.requestHash, record.limit, record.repeated,
    record.licenseRequests, record.minute, record.renewals, record.licenses,
    record.details, record.grant
  )
end

local function requireVersion(version)
  if version ~= recordVersion then
    error('a session has a record of another version: ' .. tostring(version))
  end
end

local function unpackRecord(packed)
  local version, startedAt, expiresAt, reservationId, requestHash, limit, repeated,
    licenseRequests, minute, renewals, licenses, details, grant = cmsgpack.unpack(packed)
  requireVersion(version)
  return {
    startedAt = startedAt, expiresAt = expiresAt,
    reservationId = reservationId, requestHash = requestHash, limit = limit, repeated = repeated,
    licenseRequests = licenseRequests, minute = minute, renewals = renewals, licenses = licenses,
    details = details, grant = grant,
  }
end

-- Returns only startedAt and expiresAt of a record.
local function timesOfRecord(packed)
  local _, version, startedAt, expiresAt = cmsgpack.unpack_limit(packed, 3, 0)
  requireVersion(version)
  return startedAt, expiresAt
end

-- Returns the record of a session; nil if it has none.
local function readRecord(slots, sessionId)
  local packed = redis.call('HGET', slots, sessionId)
  return packed and unpackRecord(packed) or nil
end

-- If a session starts in the future because the clock of Redis was set back, counts it as started now. It must not last longer because of
-- that. `lifetime`: what may be left of it.
local function startNoLaterThanNow(record, lifetime)
  if record.startedAt > nowMicroseconds then
    record.expiresAt = math.min(record.expiresAt, now + lifetime)
    record.startedAt = nowMicroseconds
  end
end

local function writeRecord(slots, sessionId, record)
  redis.call('HSET', slots, sessionId, packRecord(record))
end
