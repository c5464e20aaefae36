-- A process serves no more: nobody waits for it. ARGV: process.

redis.call('HDEL', key('processes'), ARGV[2])
return true
