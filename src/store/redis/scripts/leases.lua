-- Answers the leases, and the names of the processes that serve. ARGV: account and period.

return { redis.call('HGETALL', key('lease:' .. ARGV[2])), serving_processes(moment()) }
