-- ARGV: when the backup was made.

redis.call('SET', key('backup'), ARGV[2])
return true
