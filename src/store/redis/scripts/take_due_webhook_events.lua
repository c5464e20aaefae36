-- ARGV: now, when they are due again, how many at most.

local due = {}
for _, notice in ipairs(redis.call('ZRANGEBYSCORE', key('notices'), '-inf', ARGV[2], 'LIMIT', 0, ARGV[4])) do
  redis.call('ZADD', key('notices'), ARGV[3], notice)
  local attempts = redis.call('HINCRBY', key('notice:' .. notice), 'attempts', 1)
  local kept = redis.call('HMGET', key('notice:' .. notice), 'text', 'at')
  due[#due + 1] = { notice, kept[1], kept[2], attempts }
end
return due
