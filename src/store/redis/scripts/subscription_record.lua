-- ARGV: account.

return redis.call('HMGET', key('books:' .. ARGV[2]), 'version', 'text')
