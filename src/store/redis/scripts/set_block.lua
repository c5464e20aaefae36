-- Blocks an account, or ends its block. Answers the id of the change, or false. ARGV: account, when or '', why.

local account = ARGV[2]
local record = key('account:' .. account)
if redis.call('EXISTS', record) == 0 then
  return false
end
if ARGV[3] == '' then
  redis.call('HDEL', record, 'blocked_at', 'blocked_reason')
else
  redis.call('HSET', record, 'blocked_at', ARGV[3], 'blocked_reason', ARGV[4])
  drop_access(account)
  drop_deliveries(account)
end
return announce('account', account)
