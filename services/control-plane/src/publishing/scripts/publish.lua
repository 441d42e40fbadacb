#!lua
--[[
Purpose
  Replaces a published document, unless the current one is as new or newer, and notifies its readers. A full Redis
  refuses to run this script. With "allow-oom" in its first line it runs anyway, because a revoked or blocked record
  must not wait for room; maximumBytesMore then limits the size.

KEYS
  1 document       hash: revision, document

ARGV
  1 revision       positive integer, below 2^53
  2 document       JSON; empty for a tombstone, which lasts for seven days
  3 channel        the channel that announces the key
  4 maximumBytesMore  how many bytes longer the document may be than the one it replaces (with a value, it must replace one);
                   empty: no limit

Returns
  0 published      {0}
  1 superseded     {1, revision} the current revision; nothing has changed
  2 full           {2} there is no room for the document; nothing has changed
]]

local present = redis.call('HGET', KEYS[1], 'revision')
-- An invalid revision counts as 0, so that it does not prevent publishing forever.
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
  -- Seven days, far longer than any attempt can take.
  redis.call('EXPIRE', KEYS[1], 604800)
else
  redis.call('PERSIST', KEYS[1])
end
redis.call('PUBLISH', ARGV[3], KEYS[1])
return { 0 }
