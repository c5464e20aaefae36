-- Registers a serving process. Answers the change it starts after, since when writes may
-- be missing, the time, and the INFO of Redis.
-- ARGV: process, its trust window in milliseconds.

local now = moment()
local processes = redis.call('HGETALL', key('processes'))
for at = 1, #processes, 2 do
  local beat = string.match(processes[at + 1], '^(%d+):')
  if now - beat > 24 * 60 * 60 * 1000 then
    redis.call('HDEL', key('processes'), processes[at])
  end
end
-- a change of its own to start from: a stream without it is known to have lost changes
local handled = announce('attend', ARGV[2])
redis.call('HSET', key('processes'), ARGV[2], string.format('%d:%s:%s', now, ARGV[3], handled))
local life = string.format('%d', lost_since(now))
return { handled, life, now, redis.call('INFO', 'server') .. redis.call('INFO', 'memory') .. redis.call('INFO', 'persistence') }
