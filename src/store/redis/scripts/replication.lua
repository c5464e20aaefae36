-- The replication id of Redis and since when it has it. The id changes with a restart or failover, in which the last
-- writes may have been lost.
local function replication(now)
  local id = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') or ''
  local kept = redis.call('HMGET', key('life'), 'id', 'since')
  local since = tonumber(kept[2] or 0)
  if kept[1] ~= id then
    -- before the first there was nothing to lose
    since = kept[1] and now or 0
    redis.call('HSET', key('life'), 'id', id, 'since', string.format('%d', since))
  end
  return id, since
end
