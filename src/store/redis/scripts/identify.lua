-- Answers the epoch: the one the process knows, or the one that the operator replaced it with. A process that knows
-- none takes the one there is, or writes a new one in a Redis without any.
-- ARGV: the epoch that the process knows or '', a new one.

if ARGV[1] == '' then
  if not epoch then
    epoch = ARGV[2]
    redis.call('SET', KEYS[1], epoch)
  end
elseif not epoch or
    epoch ~= ARGV[1] and redis.call('SISMEMBER', '{candango}:replaced', ARGV[1]) == 0 then
  return redis.error_reply('DATA_MISSING the epoch is missing or another')
end
-- the data of an older version will be changed here
redis.call('SET', SCHEMA_KEY, SCHEMA)
return epoch
