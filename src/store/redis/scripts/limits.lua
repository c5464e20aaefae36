-- Shared by scripts that count attempts.

-- Counts an attempt against every limit, or answers the index of the first one reached, from 0, and the milliseconds
-- until it allows another. In ARGV from `first` to `last` each limit has its name, 'window' or 'bucket', how many it
-- allows (at once), and the milliseconds until the window ends or between two attempts.
local function count_attempt(first, last)
  local counted = {}
  for at = first, last, 4 do
    local name, allowed, millis = key('tally:' .. ARGV[at]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
    if ARGV[at + 1] == 'window' then
      local count = tonumber(redis.call('GET', name) or 0)
      if count >= allowed then
        return { (at - first) / 4, millis }
      end
      counted[#counted + 1] = { name, count + 1, millis }
    else
      -- a bucket is full again when its counter ends
      local full_in = math.max(redis.call('PTTL', name), 0) + millis
      local wait = full_in - allowed * millis
      if wait > 0 then
        return { (at - first) / 4, wait }
      end
      counted[#counted + 1] = { name, 0, full_in }
    end
  end
  for _, counter in ipairs(counted) do
    redis.call('SET', counter[1], counter[2], 'PX', math.max(counter[3], 1))
  end
  return false
end

-- Has the limits named in ARGV from `first` on begin anew.
local function renew(first)
  for at = first, #ARGV do
    redis.call('DEL', key('tally:' .. ARGV[at]))
  end
end
