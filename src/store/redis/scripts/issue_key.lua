-- ARGV: account if the address is new, address, plan if it is new, plan if it is known or '', when, key, first4, last4,
-- when.

local email, hash = ARGV[3], ARGV[7]
local account, owner = account_of(email), owner_of(hash)
if owner and owner ~= account then
  return redis.error_reply('TAKEN the key is another account\'s')
end
if not account then
  account = ARGV[2]
  open_account(account, email, ARGV[4], ARGV[6])
elseif ARGV[5] ~= '' then
  redis.call('HSET', key('account:' .. account), 'plan', ARGV[5])
end
if not owner then
  add_key(account, hash, ARGV[8], ARGV[9], ARGV[10])
end
return { fields_of(account), announce('account', account) }
