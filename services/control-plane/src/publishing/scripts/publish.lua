#!lua
--[[
Purpose
  Replaces a published document, unless the one that is there is as new or newer, and tells its readers. A full Redis
  refuses this script before it runs. With "allow-oom" in its first line it runs there, too, since what is revoked or
  blocked must not wait for room; then mostBytesMore says what there is room for.

KEYS
  1 document       hash: revision, document

ARGV
  1 revision       positive integer, below 2^53
  2 document       JSON; empty for a tombstone, which lasts for seven days
  3 channel        on which the key is announced
  4 mostBytesMore  how much longer the document may be than the one that it replaces, and then it must replace one; empty:
                   there is room for any

Returns
  0 published      {0}
  1 superseded     {1, revision} the revision that is there; nothing has changed
  2 full           {2} there is no room for the document; nothing has changed
]]

local present = redis.call('HGET', KEYS[1], 'revision')
-- A revision that is no number is nobody's: it must not keep the document from ever being published again.
if present and (tonumber(present) or 0) >= tonumber(ARGV[1]) then
  return { 1, present }
end

if ARGV[4] ~= '' and ARGV[2] ~= '' then
  local length = redis.call('HSTRLEN', KEYS[1], 'document')
  if length == 0 or #ARGV[2] > length + tonumber(ARGV[4]) then
    return { 2 }
  end
end

redis.call('HSET', KEYS[1], 'revision', ARGV[1], 'document', ARGV[2])
if ARGV[2] == '' then
  -- Long past every attempt that may still be on its way. The key of an end user names a person.
  redis.call('EXPIRE', KEYS[1], 604800)
else
  redis.call('PERSIST', KEYS[1])
end
redis.call('PUBLISH', ARGV[3], KEYS[1])
return { 0 }
