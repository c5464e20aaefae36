-- ARGV: address, mail, when, kind of the mail or '' for the one that its keys call for, account to create or '', plan,
-- when, then names and values of its profile.

local email, mail, at, kind, new_account = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local account = account_of(email)
if not account then
  if new_account == '' then
    return false
  end
  account = new_account
  open_account(account, email, ARGV[7], ARGV[8])
  for field = 9, #ARGV, 2 do
    redis.call('HSET', key('account:' .. account), ARGV[field], ARGV[field + 1])
  end
end
if is_blocked(account) then
  return false
end
if kind == '' then
  kind = #live_keys(account) > 0 and 'recovery' or 'welcome'
end
queue_mail(mail, account, kind, at, at)
return true
