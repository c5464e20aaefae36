-- Marks a suggestion as done and drops its contact; 0 when there is none. ARGV: its id, when.

local name = key('suggestion:' .. ARGV[2])
if redis.call('EXISTS', name) == 0 then
  return 0
end
redis.call('HSETNX', name, 'done_at', ARGV[3])
redis.call('HDEL', name, 'contact')
return 1
