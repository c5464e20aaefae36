-- Answers the id of the change, or false, and whether the account has another live key. ARGV: mail, new key, first4,
-- last4, when, the mailer that holds the key.

local mail, new, at = key('letter:' .. ARGV[2]), ARGV[3], ARGV[6]
local kept = redis.call('HMGET', mail, 'account', 'key')
local account, made_before = kept[1], kept[2]
if not account then
  return { false, 0 }
end
local owner = owner_of(new)
if owner == account then
  -- a repeated request
  return { announce('account', account), 0 }
elseif owner then
  return redis.error_reply('TAKEN the key is another account\'s')
end
if made_before and not is_live(made_before) then
  return { false, 0 }
end
local live = live_keys(account)
for _, hash in ipairs(live) do
  if hash ~= made_before then
    return { false, 1 }
  end
end
for _, hash in ipairs(live) do
  revoke(hash, at)
end
add_key(account, new, ARGV[4], ARGV[5], at)
redis.call('HSET', mail, 'key', new, 'owner', ARGV[7])
return { announce('account', account), 0 }
