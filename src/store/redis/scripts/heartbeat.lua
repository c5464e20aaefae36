-- A serving process is alive, and has handled all changes up to one. Answers the replication id, whether changes after
-- that one are lost, the last change, and the changes.
-- ARGV: process, its trust window in milliseconds, the change.

local now = moment()
local id = replication(now)
redis.call('HSET', key('processes'), ARGV[2], string.format('%d:%s:%s', now, ARGV[3], ARGV[4]))
local changes = redis.call('XRANGE', key('changes'), ARGV[4], '+', 'COUNT', 1001)
if changes[1] and changes[1][1] == ARGV[4] then
  local last = changes[#changes][1]
  table.remove(changes, 1)
  return { id, 0, last, changes }
end
-- the stream was trimmed beyond that change, or Redis lost it
return { id, 1, announce('attend', ARGV[2]), {} }
