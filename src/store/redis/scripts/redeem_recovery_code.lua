-- Answers the account and the id of the change, or false.
-- ARGV: address, code, new key, first4, last4, now, mail or '', when it is due, its owner.

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
local at = key('code:' .. account)
local code = redis.call('HMGET', at, 'hash', 'expires_at', 'tries')
if not code[1] then
  return false
end
local tries = tonumber(code[3])
if code[1] ~= ARGV[3] or tonumber(code[2]) <= tonumber(now) or tries == 0 then
  redis.call('HSET', at, 'tries', math.max(tries - 1, 0))
  return false
end
redis.call('DEL', at)
for _, hash in ipairs(live_keys(account)) do
  revoke(hash, now)
end
add_key(account, new, ARGV[5], ARGV[6], now)
if ARGV[8] ~= '' then
  queue_mail(ARGV[8], account, 'rotated', now, ARGV[9], ARGV[10])
end
return { fields_of(account), announce('account', account) }
