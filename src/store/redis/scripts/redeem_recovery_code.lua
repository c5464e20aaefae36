-- Answers the account and the id of the change, or false.
-- ARGV: address, code, new key, first4, last4, now, mail, when it is due, its owner, then the limits that begin anew.

local account, new, now = account_of(ARGV[2]), ARGV[4], ARGV[7]
if not account then
  return false
end
local owner = owner_of(new)
if owner == account then
  -- a repeated request
  return { fields_of(account), announce('account', account) }
elseif owner then
  return redis.error_reply('TAKEN the key is another account\'s')
end
if is_blocked(account) or not is_valid_code(account, ARGV[3], now) then
  return false
end
drop_codes(account)
for _, hash in ipairs(live_keys(account)) do
  revoke(hash, now)
end
add_key(account, new, ARGV[5], ARGV[6], now)
queue_mail(ARGV[8], account, 'rotated', now, ARGV[9], ARGV[10])
renew(11)
return { fields_of(account), announce('account', account) }
