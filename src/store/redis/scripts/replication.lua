-- Since when writes that Redis had acknowledged may be missing: since its last restart or failover; 0 before the first.
-- Each gives it another replication id. So does the first replica that attaches, or the last one that stays away, without
-- any loss: then it is the same process (run_id), which was not promoted (master_replid2 is zero).
local function lost_since(now)
  local info = redis.call('INFO', 'replication')
  local id = string.match(info, 'master_replid:(%x+)') or ''
  local kept = redis.call('HMGET', key('life'), 'id', 'since', 'run')
  local since = tonumber(kept[2] or 0)
  if since > now then
    -- the clock was set back since: at worst it is counted once more
    since = now
    redis.call('HSET', key('life'), 'since', string.format('%d', since))
  end
  if kept[1] ~= id or not kept[3] then
    local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''
    local is_promoted = not string.match(info, 'master_replid2:0+%s')
    -- before the first id there was nothing to lose
    if kept[1] and kept[1] ~= id and (kept[3] ~= run or is_promoted) then
      since = now
    end
    redis.call('HSET', key('life'), 'id', id, 'since', string.format('%d', since), 'run', run)
  end
  return since
end
