-- Drops a page of the leases of an erased account, and one of its payers: each is found only by a look at all there are,
-- which no script may take the time for. Answers where to go on, each 'done' at its end. ARGV: account, those two.

local account, leases, payers = ARGV[2], ARGV[3], ARGV[4]
if leases ~= 'done' then
  local found = redis.call('SCAN', leases, 'MATCH', key('lease:' .. account .. ':*'), 'COUNT', 1000)
  for _, name in ipairs(found[2]) do
    redis.call('DEL', name)
  end
  leases = found[1] == '0' and 'done' or found[1]
end
if payers ~= 'done' then
  local found = redis.call('HSCAN', key('payers'), payers, 'COUNT', 1000)
  for at = 1, #found[2], 2 do
    if found[2][at + 1] == account then
      redis.call('HDEL', key('payers'), found[2][at])
    end
  end
  payers = found[1] == '0' and 'done' or found[1]
end
return { leases, payers }
