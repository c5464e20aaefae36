-- ARGV: address, mail, when, account to create or '', plan, when, then names and values of its profile.

local email, mail, at, new_account = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local account = account_of(email)
if not account then
  if new_account == '' then
    return false
  end
  account = new_account
  open_account(account, email, ARGV[6], ARGV[7])
  for field = 8, #ARGV, 2 do
    redis.call('HSET', key('account:' .. account), ARGV[field], ARGV[field + 1])
  end
end
if is_blocked(account) then
  return false
end
queue_mail(mail, account, #live_keys(account) > 0 and 'recovery' or 'welcome', at, at)
return true
