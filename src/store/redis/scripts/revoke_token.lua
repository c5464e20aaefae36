-- Answers the id of the change, or false. ARGV: account, token.

local account, token = ARGV[2], ARGV[3]
local hash = redis.call('HGET', key('tokens:' .. account), token)
if not hash then
  return false
end
redis.call('HDEL', key('tokens:' .. account), token)
redis.call('DEL', key('token:' .. hash))
return announce('account', account)
