-- Ends the registration of a process: nobody waits for it any more. ARGV: process.

redis.call('HDEL', key('processes'), ARGV[2])
return true
