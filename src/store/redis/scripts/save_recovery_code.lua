-- ARGV: account, code, when it expires, tries, milliseconds after which it may be forgotten in any case.

local at = key('code:' .. ARGV[2])
redis.call('HSET', at, 'hash', ARGV[3], 'expires_at', ARGV[4], 'tries', ARGV[5])
redis.call('PEXPIRE', at, ARGV[6])
return true
