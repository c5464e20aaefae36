-- ARGV: account.

local keys = {}
for _, hash in ipairs(redis.call('SMEMBERS', key('keys:' .. ARGV[2]))) do
  local kept = redis.call('HMGET', key('key:' .. hash), 'first4', 'last4', 'created_at', 'revoked_at')
  keys[#keys + 1] = { hash, kept[1], kept[2], kept[3], kept[4] }
end
return keys
