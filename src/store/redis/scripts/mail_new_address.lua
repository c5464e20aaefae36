-- Queues a mail with a code to another address of an account. ARGV: account, address, mail, when.

local account, at = ARGV[2], ARGV[5]
if redis.call('EXISTS', key('account:' .. account)) == 0 or is_blocked(account) then
  return false
end
queue_mail(ARGV[4], account, 'newaddress', at, at, nil, ARGV[3])
return true
