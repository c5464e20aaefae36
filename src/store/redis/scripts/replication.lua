-- The life that this Redis is in, by its replication id: another begins when it was restarted or has taken the place
-- of one that failed, and may have lost the last writes. Answers the id, and since when.
local function life(now)
  local id = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)') or ''
  local kept = redis.call('HMGET', key('life'), 'id', 'since')
  local since = tonumber(kept[2] or 0)
  if kept[1] ~= id then
    -- the very first has nothing to have lost
    since = kept[1] and now or 0
    redis.call('HSET', key('life'), 'id', id, 'since', string.format('%d', since))
  end
  return id, since
end
