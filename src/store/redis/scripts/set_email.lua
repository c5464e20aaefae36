-- Gives an account another address. Answers 1 when it has it, 0 when another account has it, false without the account.
-- ARGV: account, address.

local account, email = ARGV[2], ARGV[3]
local old = redis.call('HGET', key('account:' .. account), 'email')
if not old then
  return false
end
local owner = account_of(email)
if owner and owner ~= account then
  return 0
end
change_email(account, old, email)
announce('account', account)
return 1
