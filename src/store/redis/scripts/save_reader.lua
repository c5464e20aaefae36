-- Keeps a reader who has not confirmed, with a mail that is due at once; one who has confirmed stays as is.
-- ARGV: id, address, language, area or '', when, when to forget.

local id, email, at = ARGV[2], ARGV[3], ARGV[6]
local known = redis.call('GET', key('reader_of:' .. email))
if known and redis.call('EXISTS', key('reader:' .. known)) == 1 then
  if redis.call('HEXISTS', key('reader:' .. known), 'confirmed_at') == 1 then
    return true
  end
  id = known
end
local name = key('reader:' .. id)
redis.call('DEL', name)
redis.call('HSET', name, 'email', email, 'language', ARGV[4], 'asked_at', at, 'attempts', 0)
if ARGV[5] ~= '' then
  redis.call('HSET', name, 'area', ARGV[5])
end
redis.call('SET', key('reader_of:' .. email), id)
redis.call('ZADD', key('readers'), at, id)
redis.call('PEXPIREAT', name, ARGV[7])
redis.call('PEXPIREAT', key('reader_of:' .. email), ARGV[7])
return true
