-- Erases an account, but for what erase_page.lua drops. Answers false when there is none, or a list with the id of the
-- change: with false in it, and nothing changed, when its subscription has another version.
-- ARGV: account, expected version of its subscription, when, what is kept of its payments or ''.

local account = ARGV[2]
local email = redis.call('HGET', key('account:' .. account), 'email')
if not email then
  return false
end
local version = tonumber(redis.call('HGET', key('books:' .. account), 'version') or 0)
if version ~= tonumber(ARGV[3]) then
  return { false }
end
-- until the last page is dropped: who erases may be killed before
redis.call('SADD', key('erasing'), account)
drop_mails(account)
drop_hook(account)
for _, hash in ipairs(redis.call('SMEMBERS', key('keys:' .. account))) do
  redis.call('DEL', key('key:' .. hash))
end
for _, hash in ipairs(redis.call('HVALS', key('tokens:' .. account))) do
  redis.call('DEL', key('token:' .. hash))
end
for _, name in ipairs({ 'keys:', 'tokens:', 'codes:', 'key_sessions:', 'books:', 'account:' }) do
  redis.call('DEL', key(name .. account))
end
redis.call('HDEL', key('emails'), email)
redis.call('ZREM', key('books'), account)
if ARGV[5] ~= '' then
  redis.call('HSET', key('erased'), account, ARGV[4] .. ':' .. ARGV[5])
end
return { announce('account', account) }
