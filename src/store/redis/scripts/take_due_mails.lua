-- ARGV: now, when they are due again, how many at most.

local due = {}
local mails = redis.call('ZRANGEBYSCORE', key('letters'), '-inf', ARGV[2], 'LIMIT', 0, ARGV[4])
for _, mail in ipairs(mails) do
  redis.call('ZADD', key('letters'), ARGV[3], mail)
  local attempts = redis.call('HINCRBY', key('letter:' .. mail), 'attempts', 1)
  local kept = redis.call('HMGET', key('letter:' .. mail), 'account', 'kind', 'queued_at')
  local email = redis.call('HGET', key('account:' .. kept[1]), 'email')
  due[#due + 1] = { mail, kept[1], email, kept[2], kept[3], attempts }
end
return due
