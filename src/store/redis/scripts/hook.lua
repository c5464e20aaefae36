-- ARGV: account.

local kept = redis.call('HMGET', key('hook:' .. ARGV[2]), 'url', 'secret', 'created_at', 'last_at', 'last_result')
return kept[1] and kept
