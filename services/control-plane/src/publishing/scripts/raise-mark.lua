#!lua flags=allow-oom
--[[
Purpose
  Raises the mark of the newest publication, unless Redis has lost publications, and announces it. The mark lies beside
  the deployment's document. It must be raised on a full Redis too: "allow-oom" in the first line permits it, and the
  mark takes no more room than the former one.

KEYS
  1 deployment    hash: mark

ARGV
  1 mark          positive integer, below 2^53
  2 atLeast       the mark that Redis must have; a lower one shows that Redis has lost publications
  3 channel       the channel that announces the mark

Returns
  0 raised        or Redis has a higher one already
  1 behind        Redis has lost publications; nothing has changed
]]

-- An invalid mark counts as 0.
local text = redis.call('HGET', KEYS[1], 'mark') or ''
local present = tonumber(string.match(text, '^%d+$') or '0')
if present < tonumber(ARGV[2]) then
  return 1
end
if present < tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'mark', ARGV[1])
  redis.call('PUBLISH', ARGV[3], ARGV[1])
end
return 0
