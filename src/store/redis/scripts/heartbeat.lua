-- A serving process is alive, and has handled all changes up to one. Answers since when writes may be missing, whether
-- changes after that one are lost, the last change, the changes, and the time.
-- ARGV: process, its trust window in milliseconds, the change, the time of its last heartbeat that was answered.

-- a loss is seen once by its restart or failover, and again by each process whose last heartbeat it took
local SAME_LOSS = 5000

local now = moment()
local since = lost_since(now)
local kept = redis.call('HGET', key('processes'), ARGV[2]) or ''
local known, answered = tonumber(string.match(kept, '^(%d+):') or 0), tonumber(ARGV[5])
-- one that lies in the future says that the clock was set back, and of no loss
if known < answered and answered <= now and now > since + SAME_LOSS then
  -- what was written after it, by anybody, is lost too
  since = now
  redis.call('HSET', key('life'), 'since', string.format('%d', since))
end
local life = string.format('%d', since)
redis.call('HSET', key('processes'), ARGV[2], string.format('%d:%s:%s', now, ARGV[3], ARGV[4]))
local changes = redis.call('XRANGE', key('changes'), ARGV[4], '+', 'COUNT', 1001)
if changes[1] and changes[1][1] == ARGV[4] then
  local last = changes[#changes][1]
  table.remove(changes, 1)
  return { life, 0, last, changes, now }
end
-- the stream was trimmed beyond that change, or Redis lost it
return { life, 1, announce('attend', ARGV[2]), {}, now }
