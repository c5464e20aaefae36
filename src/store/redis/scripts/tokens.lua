-- ARGV: account.

local tokens = {}
for _, hash in ipairs(redis.call('HVALS', key('tokens:' .. ARGV[2]))) do
  local kept = redis.call('HMGET', key('token:' .. hash), 'id', 'account', 'last4', 'origins', 'created_at')
  tokens[#tokens + 1] = { kept[1], kept[2], hash, kept[3], kept[4], kept[5] }
end
return tokens
