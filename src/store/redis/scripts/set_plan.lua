-- Answers the id of the change, or false. ARGV: account, plan.

local account = ARGV[2]
if redis.call('EXISTS', key('account:' .. account)) == 0 then
  return false
end
redis.call('HSET', key('account:' .. account), 'plan', ARGV[3])
return announce('account', account)
