-- ARGV: event, text, when, how often it was taken.

local event = key('notice:' .. ARGV[2])
if redis.call('EXISTS', event) == 1 then
  return false
end
redis.call('HSET', event, 'text', ARGV[3], 'at', ARGV[4], 'attempts', ARGV[5])
redis.call('ZADD', key('notices'), ARGV[4], ARGV[2])
return true
