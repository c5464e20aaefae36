-- ARGV: account if the address is new, address, plan, when, key, first4, last4, when.

local email, plan, hash = ARGV[3], ARGV[4], ARGV[6]
local account, owner = account_of(email), owner_of(hash)
if owner and owner ~= account then
  return redis.error_reply('TAKEN the key is another account\'s')
end
if account then
  redis.call('HSET', key('account:' .. account), 'plan', plan)
else
  account = ARGV[2]
  open_account(account, email, plan, ARGV[5])
end
if not owner then
  add_key(account, hash, ARGV[7], ARGV[8], ARGV[9])
end
return { fields_of(account), announce('account', account) }
