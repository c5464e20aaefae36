-- Exchanges a code for another address. Answers 1 when the account has it, 0 when another account has it, false when the
-- code is not valid. ARGV: account, code, address, mail to the old address, now.

local account, code, email, at = ARGV[2], ARGV[3], ARGV[4], ARGV[6]
local old = redis.call('HGET', key('account:' .. account), 'email')
if not old or is_blocked(account) then
  return false
end
if not is_valid_code(account, code, at) then
  return false
end
end_code(account, code)
if account_of(email) then
  return 0
end
change_email(account, old, email)
queue_mail(ARGV[5], account, 'moved', at, at, nil, old)
announce('account', account)
return 1
