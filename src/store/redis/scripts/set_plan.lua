-- Answers the id of the change, or false. ARGV: account, plan, mail or '', when.

local account = ARGV[2]
if redis.call('EXISTS', key('account:' .. account)) == 0 then
  return false
end
redis.call('HSET', key('account:' .. account), 'plan', ARGV[3])
if ARGV[4] ~= '' then
  queue_mail(ARGV[4], account, 'plan', ARGV[5], ARGV[5])
end
return announce('account', account)
