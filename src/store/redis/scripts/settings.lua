-- Answers the part of the INFO of Redis that says whether it evicts.

return redis.call('INFO', 'memory')
