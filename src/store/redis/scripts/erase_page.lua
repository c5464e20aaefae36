-- Drops a page of the leases and counters of an erased account, and one of its payers: each is found only by a look at all
-- there are, which no script may take the time for. Answers where to go on, each 'done' at its end. ARGV: account, those
-- two.

local account, names, payers = ARGV[2], ARGV[3], ARGV[4]
local function begins(name, start)
  return string.sub(name, 1, #start) == start
end
if names ~= 'done' then
  local found = redis.call('SCAN', names, 'MATCH', key('*' .. account .. '*'), 'COUNT', 1000)
  for _, name in ipairs(found[2]) do
    local is_counter = begins(name, key('tally:')) and string.find(name .. '/', '/' .. account .. '/', 1, true)
    if is_counter or begins(name, key('lease:' .. account .. ':')) then
      redis.call('DEL', name)
    end
  end
  names = found[1] == '0' and 'done' or found[1]
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
if names == 'done' and payers == 'done' then
  redis.call('SREM', key('erasing'), account)
end
return { names, payers }
