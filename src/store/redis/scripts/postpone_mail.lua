-- ARGV: mail, until when.

redis.call('ZADD', key('letters'), 'XX', ARGV[3], ARGV[2])
return true
