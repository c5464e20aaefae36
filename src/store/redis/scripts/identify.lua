-- Answers the epoch: the one the process knows, or the one that the operator replaced it with. A process that knows
-- none takes the one there is, or writes a new one in a Redis without any.
-- ARGV: the epoch that the process knows or '', a new one.

local epoch = redis.call('GET', KEYS[1])
if epoch == FILLING then
  return half_full()
end
if ARGV[1] == '' then
  if epoch then
    return epoch
  end
  redis.call('SET', KEYS[1], ARGV[2])
  return ARGV[2]
end
if epoch and (epoch == ARGV[1] or redis.call('SISMEMBER', '{candango}:replaced', ARGV[1]) == 1) then
  return epoch
end
return redis.error_reply('DATA_MISSING the epoch is missing or another')
