-- Answers the id of the change, or false. ARGV: key, when.

local hash, at = ARGV[2], ARGV[3]
local account = owner_of(hash)
if not account then
  return false
end
local revoked_at = redis.call('HGET', key('key:' .. hash), 'revoked_at')
-- the same time: a repeated request
if revoked_at and revoked_at ~= at then
  return false
end
revoke(hash, at)
return announce('account', account)
