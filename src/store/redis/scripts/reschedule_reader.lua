-- ARGV: id, when the mail is due or '', how often it was taken, '1' if the reader had confirmed when it was taken.

local name = key('reader:' .. ARGV[2])
local is_confirmed = redis.call('HEXISTS', name, 'confirmed_at') == 1
if redis.call('EXISTS', name) == 0 or is_confirmed ~= (ARGV[5] == '1') then
  return false
end
redis.call('HSET', name, 'attempts', ARGV[4])
if ARGV[3] == '' then
  redis.call('ZREM', key('readers'), ARGV[2])
else
  redis.call('ZADD', key('readers'), ARGV[3], ARGV[2])
end
return true
