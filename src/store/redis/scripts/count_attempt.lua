-- Answers the index of the first limit reached, from 0, or false.
-- ARGV: for each limit its name, its maximum and the milliseconds until it ends.

for at = 2, #ARGV, 3 do
  local counted = tonumber(redis.call('GET', key('tally:' .. ARGV[at])) or 0)
  if counted >= tonumber(ARGV[at + 1]) then
    return (at - 2) / 3
  end
end
for at = 2, #ARGV, 3 do
  local counted = redis.call('INCR', key('tally:' .. ARGV[at]))
  if counted == 1 then
    redis.call('PEXPIRE', key('tally:' .. ARGV[at]), ARGV[at + 2])
  end
end
return false
