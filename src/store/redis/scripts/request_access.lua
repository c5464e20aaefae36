-- ARGV: address, mail, when, kind of the mail or '' for the one that its keys call for, the number of limits, those as
-- limits.lua takes them, account to create or '', plan, when, then names and values of its profile.

local email, mail, at, kind, limits = ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local new = 7 + 4 * limits
local known = account_of(email)
local account = known or ARGV[new]
if account == '' or known and is_blocked(known) then
  return false
end
if count_attempt(7, new - 1) then
  return false
end
if not known then
  open_account(account, email, ARGV[new + 1], ARGV[new + 2])
  for field = new + 3, #ARGV, 2 do
    redis.call('HSET', key('account:' .. account), ARGV[field], ARGV[field + 1])
  end
end
if kind == '' then
  kind = #live_keys(account) > 0 and 'recovery' or 'welcome'
end
queue_mail(mail, account, kind, at, at)
return true
