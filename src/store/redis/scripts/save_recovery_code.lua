-- ARGV: account, code, when it expires, now, milliseconds after which all may be forgotten in any case.

-- erased meanwhile
if redis.call('EXISTS', key('account:' .. ARGV[2])) == 0 then
  return true
end
local codes = key('codes:' .. ARGV[2])
local kept = redis.call('HGETALL', codes)
for at = 1, #kept, 2 do
  if tonumber(kept[at + 1]) <= tonumber(ARGV[5]) then
    redis.call('HDEL', codes, kept[at])
  end
end
redis.call('HSET', codes, ARGV[3], ARGV[4])
redis.call('PEXPIRE', codes, ARGV[6])
return true
