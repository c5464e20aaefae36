-- ARGV: now, when they are due again, how many at most, how many of one account may be in flight.

local now, max, max_each = tonumber(ARGV[2]), tonumber(ARGV[4]), tonumber(ARGV[5])

-- How many more of an account may be taken. In flight is what was taken and is neither recorded nor due again.
local free_slots = {}
local function free_slots_of(account)
  if not free_slots[account] then
    free_slots[account] = max_each
    for _, id in ipairs(redis.call('SMEMBERS', key('deliveries:' .. account))) do
      local due_at = tonumber(redis.call('ZSCORE', key('deliveries'), id) or 0)
      if due_at > now and redis.call('HEXISTS', key('delivery:' .. id), 'taken') == 1 then
        free_slots[account] = free_slots[account] - 1
      end
    end
  end
  return free_slots[account]
end

-- Chosen before any is written, as a write moves the places of those after it.
local chosen, place = {}, 0
while #chosen < max do
  local found = redis.call('ZRANGEBYSCORE', key('deliveries'), '-inf', ARGV[2], 'LIMIT', place, 100)
  for _, id in ipairs(found) do
    local account = redis.call('HGET', key('delivery:' .. id), 'account') or ''
    if #chosen < max and free_slots_of(account) > 0 then
      chosen[#chosen + 1] = id
      free_slots[account] = free_slots[account] - 1
    end
  end
  if #found < 100 then
    break
  end
  place = place + 100
end

local due = {}
for _, id in ipairs(chosen) do
  local kept = redis.call('HMGET', key('delivery:' .. id), 'account', 'body', 'queued_at')
  local hook = kept[1] and redis.call('HMGET', key('hook:' .. kept[1]), 'url', 'secret')
  if hook and hook[1] then
    redis.call('ZADD', key('deliveries'), ARGV[3], id)
    redis.call('HSET', key('delivery:' .. id), 'taken', 1)
    local attempts = redis.call('HINCRBY', key('delivery:' .. id), 'attempts', 1)
    due[#due + 1] = { id, kept[1], hook[1], hook[2], kept[2], kept[3], attempts }
  else
    -- a message without a webhook would stop all others
    drop_delivery(id, kept[1] or '')
  end
end
return due
