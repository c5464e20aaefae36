-- ARGV: now, when they are due again, how many at most.

local due = {}
for _, event in ipairs(redis.call('ZRANGEBYSCORE', key('notices'), '-inf', ARGV[2], 'LIMIT', 0, ARGV[4])) do
  redis.call('ZADD', key('notices'), ARGV[3], event)
  local attempts = redis.call('HINCRBY', key('notice:' .. event), 'attempts', 1)
  local kept = redis.call('HMGET', key('notice:' .. event), 'text', 'at')
  due[#due + 1] = { event, kept[1], kept[2], attempts }
end
return due
