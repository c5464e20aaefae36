-- ARGV: now, when they are due again, how many at most.

local due = {}
local names = redis.call('ZRANGEBYSCORE', key('letters'), '-inf', ARGV[2], 'LIMIT', 0, ARGV[4])
for _, letter in ipairs(names) do
  redis.call('ZADD', key('letters'), ARGV[3], letter)
  local attempts = redis.call('HINCRBY', key('letter:' .. letter), 'attempts', 1)
  local kept = redis.call('HMGET', key('letter:' .. letter), 'account', 'kind', 'queued_at')
  local email = redis.call('HGET', key('account:' .. kept[1]), 'email')
  due[#due + 1] = { letter, kept[1], email, kept[2], kept[3], attempts }
end
return due
