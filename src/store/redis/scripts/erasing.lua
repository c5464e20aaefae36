-- Answers the accounts whose erasure has begun and not ended: it may have been cut off.

return redis.call('SMEMBERS', key('erasing'))
