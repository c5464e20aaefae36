-- ARGV: id, when, when the first letter is due.

local name = key('reader:' .. ARGV[2])
local kept = redis.call('HMGET', name, 'email', 'confirmed_at')
if not kept[1] then
  return false
end
if not kept[2] then
  redis.call('HSET', name, 'confirmed_at', ARGV[3], 'attempts', 0)
  redis.call('PERSIST', name)
  redis.call('PERSIST', key('reader_of:' .. kept[1]))
  redis.call('ZADD', key('readers'), ARGV[4], ARGV[2])
end
return true
