-- ARGV: notice, text, when, how often it was taken.

local notice = key('notice:' .. ARGV[2])
if redis.call('EXISTS', notice) == 1 then
  return false
end
redis.call('HSET', notice, 'text', ARGV[3], 'at', ARGV[4], 'attempts', ARGV[5])
redis.call('ZADD', key('notices'), ARGV[4], ARGV[2])
return true
