-- Adds a token. Answers the id of the change, or false. ARGV: how many an account may have, token, account, hash,
-- last4, where it works (the column "origins"), when.

local account = ARGV[4]
if redis.call('EXISTS', key('account:' .. account)) == 0 then
  return false
end
-- it may be there already: then the request is repeated
if redis.call('HEXISTS', key('tokens:' .. account), ARGV[3]) == 0
  and redis.call('HLEN', key('tokens:' .. account)) >= tonumber(ARGV[2]) then
  return false
end
add_token(ARGV[3], account, ARGV[5], ARGV[6], ARGV[7], ARGV[8])
return announce('account', account)
