#!lua flags=allow-oom
--[[
Purpose
  Does what "publish" does on a Redis that is full, since what is revoked or blocked must not wait for room. Takes
  tombstones, and a document in the place of one that is not much smaller; no new one.

KEYS
  1 document      hash: revision, document

ARGV
  1 revision      positive integer, below 2^53
  2 document      JSON; empty for a tombstone, which lasts for seven days
  3 channel       on which the key is announced

Returns
  0 published     {0}
  1 superseded    {1, revision} the revision that is there; nothing has changed
  2 full          {2} there is no room for the document; nothing has changed
]]

local present = redis.call('HGET', KEYS[1], 'revision')
-- A revision that is no number is nobody's: it must not keep the document from ever being published again.
if present and (tonumber(present) or 0) >= tonumber(ARGV[1]) then
  return { 1, present }
end

if ARGV[2] ~= '' then
  local length = redis.call('HSTRLEN', KEYS[1], 'document')
  -- Room for a status, a limit or an end, not for a list that grows.
  local mostBytesMore = 1024
  if length == 0 or #ARGV[2] > length + mostBytesMore then
    return { 2 }
  end
end

redis.call('HSET', KEYS[1], 'revision', ARGV[1], 'document', ARGV[2])
if ARGV[2] == '' then
  -- Long past every attempt that may still be on its way. The key of an end user names a person.
  redis.call('EXPIRE', KEYS[1], 604800)
end
redis.call('PUBLISH', ARGV[3], KEYS[1])
return { 0 }
