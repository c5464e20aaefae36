-- Erases an account, but for what erase_page.lua drops. Answers the id of the change, or false. ARGV: account, when, what is
-- kept of its payments or ''.

local account = ARGV[2]
local email = redis.call('HGET', key('account:' .. account), 'email')
if not email then
  return false
end
drop_mails(account)
drop_hook(account)
for _, hash in ipairs(redis.call('SMEMBERS', key('keys:' .. account))) do
  redis.call('DEL', key('key:' .. hash))
end
for _, hash in ipairs(redis.call('HVALS', key('tokens:' .. account))) do
  redis.call('DEL', key('token:' .. hash))
end
for _, name in ipairs({ 'keys:', 'tokens:', 'codes:', 'books:', 'account:' }) do
  redis.call('DEL', key(name .. account))
end
redis.call('HDEL', key('emails'), email)
redis.call('ZREM', key('books'), account)
if ARGV[4] ~= '' then
  redis.call('HSET', key('erased'), account, ARGV[3] .. ':' .. ARGV[4])
end
return announce('account', account)
