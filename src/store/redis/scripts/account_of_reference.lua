-- ARGV: reference.

return redis.call('HGET', key('payers'), ARGV[2])
