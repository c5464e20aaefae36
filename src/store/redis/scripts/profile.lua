-- ARGV: account.

return redis.call('HMGET', key('account:' .. ARGV[2]), 'name', 'company', 'use_case')
