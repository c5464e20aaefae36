-- Answers the place of the first that is full, from 0, or false.
-- ARGV: for each a name, the most it may count and the milliseconds it has left.

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
