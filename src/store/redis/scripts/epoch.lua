-- Begins every script: nothing is done in a Redis that is not the one its caller knows.
-- KEYS[1] names the epoch, and by its hash tag the node; ARGV[1] is the epoch the caller knows.

local function key(name)
  return '{candango}:' .. name
end

local epoch = redis.call('GET', KEYS[1])
if epoch ~= ARGV[1] then
  if epoch and redis.call('SISMEMBER', key('replaced'), ARGV[1]) == 1 then
    return redis.error_reply('RESET ' .. epoch)
  end
  return redis.error_reply('DATA_MISSING the epoch is missing or another')
end

-- The present moment in milliseconds, by the one clock that all processes share.
local function moment()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Tells the processes that serve, all but one if it is named; answers the name of the change.
local function announce(kind, what, but)
  return redis.call('XADD', key('changes'), 'MAXLEN', '~', 10000, '*', kind, what, 'but', but or '')
end
