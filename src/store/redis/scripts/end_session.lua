-- ARGV: account, session.

redis.call('HDEL', key('codes:' .. ARGV[2]), ARGV[3])
return true
