-- Answers the id of the change, or false.
-- ARGV: account, key to replace or '' for all, new key, first4, last4, when, mail, when it is due, its
-- owner.

local account, old, new, at = ARGV[2], ARGV[3], ARGV[4], ARGV[7]
local owner = owner_of(new)
if owner == account then
  -- a repeated request
  return announce('account', account)
elseif owner then
  return redis.error_reply('TAKEN the key is another account\'s')
elseif redis.call('EXISTS', key('account:' .. account)) == 0 then
  return false
end
if old == '' then
  for _, hash in ipairs(live_keys(account)) do
    revoke(hash, at)
  end
elseif owner_of(old) == account and is_live(old) then
  revoke(old, at)
else
  return false
end
add_key(account, new, ARGV[5], ARGV[6], at)
queue_mail(ARGV[8], account, 'rotated', at, ARGV[9], ARGV[10])
return announce('account', account)
