-- Answers how many mails there were. ARGV: the moment after which they are due, when they are due now, how many at most.

local found = redis.call('ZRANGEBYSCORE', key('letters'), '(' .. ARGV[2], '+inf', 'LIMIT', 0, ARGV[4])
for _, mail in ipairs(found) do
  redis.call('ZADD', key('letters'), ARGV[3], mail)
end
return #found
