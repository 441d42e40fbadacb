-- Returns the named fields of a session's record; each is false if it is missing.
local function readRecord(key, ...)
  local record = {}
  for i, value in ipairs(redis.call('HMGET', key, ...)) do
    record[select(i, ...)] = value
  end
  return record
end
