-- Ends what `begin_fill` began. ARGV: the epoch of the store.

redis.call('SET', KEYS[1], ARGV[2])
return true
