--[[
Purpose
  Replaces the document that says how far everything is published, where it is still the one that the caller knows, and
  tells its readers.

KEYS
  1 deployment    hash: document

ARGV
  1 known         the document as the caller knows it; empty where there is none
  2 document      JSON
  3 channel       on which the key is announced

Returns
  the document that is there now
]]

local present = redis.call('HGET', KEYS[1], 'document') or ''
if present ~= ARGV[1] then
  return present
end
redis.call('HSET', KEYS[1], 'document', ARGV[2])
redis.call('PUBLISH', ARGV[3], KEYS[1])
return ARGV[2]
