-- Records what came of an attempt. ARGV: id, account, address, when, the result, when to try again or ''.

local id, account = ARGV[2], ARGV[3]
local hook = key('hook:' .. account)
if redis.call('HGET', hook, 'url') == ARGV[4] then
  redis.call('HSET', hook, 'last_at', ARGV[5], 'last_result', ARGV[6])
end
if ARGV[7] == '' then
  drop_delivery(id, account)
elseif redis.call('EXISTS', key('delivery:' .. id)) == 1 then
  redis.call('ZADD', key('deliveries'), ARGV[7], id)
  redis.call('HDEL', key('delivery:' .. id), 'taken')
end
return true
