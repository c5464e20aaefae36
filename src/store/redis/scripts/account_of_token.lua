-- ARGV: hash.

local kept = redis.call('HMGET', key('token:' .. ARGV[2]), 'id', 'account', 'last4', 'origins', 'created_at')
if not kept[2] then
  return false
end
return { fields_of(kept[2]), { kept[1], kept[2], ARGV[2], kept[3], kept[4], kept[5] } }
