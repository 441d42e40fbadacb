#!lua
--[[
Purpose
  Replaces a published document, unless the one that is there is as new or newer, and tells its readers. A full Redis
  refuses this script before it runs; then "replace" does what it can.

KEYS
  1 document      hash: revision, document

ARGV
  1 revision      positive integer, below 2^53
  2 document      JSON; empty for a tombstone, which lasts for seven days
  3 channel       on which the key is announced

Returns
  0 published     {0}
  1 superseded    {1, revision} the revision that is there; nothing has changed
]]

local present = redis.call('HGET', KEYS[1], 'revision')
-- A revision that is no number is nobody's: it must not keep the document from ever being published again.
if present and (tonumber(present) or 0) >= tonumber(ARGV[1]) then
  return { 1, present }
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
