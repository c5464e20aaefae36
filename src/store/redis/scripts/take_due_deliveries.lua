-- ARGV: now, when they are due again, how many at most.

local due = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('deliveries'), '-inf', ARGV[2], 'LIMIT', 0, ARGV[4])) do
  local kept = redis.call('HMGET', key('delivery:' .. id), 'account', 'body', 'queued_at')
  local hook = kept[1] and redis.call('HMGET', key('hook:' .. kept[1]), 'url', 'secret')
  if hook and hook[1] then
    redis.call('ZADD', key('deliveries'), ARGV[3], id)
    local attempts = redis.call('HINCRBY', key('delivery:' .. id), 'attempts', 1)
    due[#due + 1] = { id, kept[1], hook[1], hook[2], kept[2], kept[3], attempts }
  else
    -- a message without a webhook would stop all others
    drop_delivery(id, kept[1] or '')
  end
end
return due
