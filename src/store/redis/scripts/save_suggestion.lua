-- Keeps a suggestion. ARGV: its id, when to forget it, when it was sent, its text, what it is about, the contact; the last two
-- may be empty.

local name = key('suggestion:' .. ARGV[2])
if redis.call('EXISTS', name) == 0 then
  redis.call('HSET', name, 'at', ARGV[4], 'text', ARGV[5])
  if ARGV[6] ~= '' then
    redis.call('HSET', name, 'about', ARGV[6])
  end
  if ARGV[7] ~= '' then
    redis.call('HSET', name, 'contact', ARGV[7])
  end
  redis.call('PEXPIREAT', name, ARGV[3])
end
return true
