-- ARGV: account and period.

return redis.call('HGETALL', key('lease:' .. ARGV[2]))
