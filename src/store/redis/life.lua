-- The life that this Redis is in: its replication id, which another one takes over with when it was restarted or
-- has taken its place, and may have lost the last writes. Answers the id, and whether it began so lately that
-- processes may not have restated yet what they hold.
local function life(now)
  local info = redis.call('INFO', 'replication')
  local id = string.match(info, 'master_replid:(%x+)') or ''
  local kept = redis.call('HMGET', key('life'), 'id', 'settled_at')
  local settled_at = tonumber(kept[2] or 0)
  if kept[1] ~= id then
    -- the very first life has nothing to lose
    settled_at = kept[1] and now + 2000 or 0
    redis.call('HSET', key('life'), 'id', id, 'settled_at', string.format('%d', settled_at))
  end
  return id, now < settled_at
end
