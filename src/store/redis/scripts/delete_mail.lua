-- ARGV: mail.

redis.call('ZREM', key('letters'), ARGV[2])
redis.call('DEL', key('letter:' .. ARGV[2]))
return true
