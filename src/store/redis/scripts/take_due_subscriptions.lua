-- ARGV: now, when they are due again, how many at most.

local due = redis.call('ZRANGEBYSCORE', key('books'), '-inf', ARGV[2], 'LIMIT', 0, ARGV[4])
for _, account in ipairs(due) do
  redis.call('ZADD', key('books'), ARGV[3], account)
end
return due
