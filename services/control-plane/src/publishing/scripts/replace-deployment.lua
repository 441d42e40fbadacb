--[[
Purpose
  Replaces the document with the publishing progress of the deployment if it is still the one that the caller knows, and
  notifies its readers.

KEYS
  1 deployment    hash: document

ARGV
  1 known         the document that the caller knows; empty if there is none
  2 document      JSON
  3 channel       the channel that announces the key

Returns
  the current document
]]

local present = redis.call('HGET', KEYS[1], 'document') or ''
if present ~= ARGV[1] then
  return present
end
redis.call('HSET', KEYS[1], 'document', ARGV[2])
redis.call('PUBLISH', ARGV[3], KEYS[1])
return ARGV[2]
