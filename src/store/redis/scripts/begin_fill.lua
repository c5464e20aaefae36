-- Marks the store as one that is being filled: until `end_fill` nobody serves from it.

redis.call('SET', KEYS[1], FILLING)
return true
