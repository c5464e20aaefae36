-- Answers what was counted on a day: run:question and callers:times, in turn. ARGV: the day.

return redis.call('HGETALL', key('asked:' .. ARGV[2]))
