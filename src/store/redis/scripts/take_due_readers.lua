-- ARGV: now, when they are due again, how many at most.

local due = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('readers'), '-inf', ARGV[2], 'LIMIT', 0, ARGV[4])) do
  local fields = reader_fields(id)
  if fields then
    redis.call('ZADD', key('readers'), ARGV[3], id)
    due[#due + 1] = { fields, redis.call('HINCRBY', key('reader:' .. id), 'attempts', 1) }
  else
    -- forgotten meanwhile
    redis.call('ZREM', key('readers'), id)
  end
end
return due
