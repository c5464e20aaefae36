-- ARGV: address, letter, when, account to open or '', plan, when, then names and values of its profile.

local email, letter, at, opening = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local account = account_of(email)
if not account then
  if opening == '' then
    return false
  end
  account = opening
  open_account(account, email, ARGV[6], ARGV[7])
  for field = 8, #ARGV, 2 do
    redis.call('HSET', key('account:' .. account), ARGV[field], ARGV[field + 1])
  end
end
queue(letter, account, #live_keys(account) > 0 and 'recovery' or 'welcome', at, at)
return true
