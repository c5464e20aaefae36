-- Starts every script: nothing is done in a Redis other than the one that the caller knows.
-- KEYS[1] is the key of the epoch, whose hash tag chooses the node; ARGV[1] is the epoch that the caller knows.

local function key(name)
  return '{candango}:' .. name
end

if epoch ~= ARGV[1] then
  if epoch and redis.call('SISMEMBER', key('replaced'), ARGV[1]) == 1 then
    return redis.error_reply('RESET ' .. epoch)
  end
  return redis.error_reply('DATA_MISSING the epoch is missing or another')
end

-- Now in milliseconds, by the one clock that all processes share.
local function moment()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Publishes a change to the serving processes, except one if it is named; answers the id of the change. Kinds are
-- 'account', 'call_in' (recall) and 'attend' (a process registered): older versions know them by these names.
local function announce(kind, what, but)
  return redis.call('XADD', key('changes'), 'MAXLEN', '~', 10000, '*', kind, what, 'but', but or '')
end
