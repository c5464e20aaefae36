-- Shared by scripts about webhooks: messages that wait are in the sorted set `deliveries`, and by account in a set.

local function drop_delivery(id, account)
  redis.call('DEL', key('delivery:' .. id))
  redis.call('ZREM', key('deliveries'), id)
  redis.call('SREM', key('deliveries:' .. account), id)
end

local function drop_deliveries(account)
  for _, id in ipairs(redis.call('SMEMBERS', key('deliveries:' .. account))) do
    drop_delivery(id, account)
  end
end

local function add_delivery(id, account, body, queued_at, due_at, attempts)
  redis.call('HSET', key('delivery:' .. id), 'account', account, 'body', body, 'queued_at', queued_at, 'attempts', attempts)
  redis.call('ZADD', key('deliveries'), due_at, id)
  redis.call('SADD', key('deliveries:' .. account), id)
end

-- Queues a message that is due at once, unless it is queued already or the account has `max` that wait. Whether it is queued.
local function queue_delivery(id, account, body, at, max)
  if redis.call('EXISTS', key('delivery:' .. id)) == 1 then
    return true
  end
  if redis.call('SCARD', key('deliveries:' .. account)) >= tonumber(max) then
    return false
  end
  add_delivery(id, account, body, at, at, 0)
  return true
end

-- Queues a message to the webhook of an account. Answers 'queued', 'full' or 'no hook'.
local function queue_for_hook(account, id, body, at, max)
  if redis.call('EXISTS', key('hook:' .. account)) == 0 then
    return 'no hook'
  end
  return queue_delivery(id, account, body, at, max) and 'queued' or 'full'
end

-- Counts an event that is told once; false when it was counted before.
local function is_first(name, millis)
  return redis.call('SET', key('tally:' .. name), 1, 'NX', 'PX', millis) and true
end

local function add_hook(account, url, secret, created_at)
  redis.call('DEL', key('hook:' .. account))
  redis.call('HSET', key('hook:' .. account), 'url', url, 'secret', secret, 'created_at', created_at)
  redis.call('SADD', key('hooks'), account)
end

local function drop_hook(account)
  drop_deliveries(account)
  redis.call('SREM', key('hooks'), account)
  return redis.call('DEL', key('hook:' .. account))
end
