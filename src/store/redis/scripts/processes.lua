-- The last heartbeat of a process, its trust window, and the change that it has handled. One that lies in the future,
-- as the clock was set back, counts as one of now, and is written so: its process may have ended, but trusts its cache
-- no longer than its window.
local function heartbeat_of(process, entry, now)
  local beat, trust, rest = string.match(entry, '^(%d+):(%d+):(.*)$')
  if tonumber(beat) > now + 1000 then
    beat = now
    redis.call('HSET', key('processes'), process, string.format('%d:%s:%s', now, trust, rest))
  end
  return tonumber(beat), tonumber(trust), rest
end

-- The names of the processes that serve: those whose last heartbeat is within their trust window.
local function serving_processes(now)
  local serving, processes = {}, redis.call('HGETALL', key('processes'))
  for at = 1, #processes, 2 do
    local beat, trust = heartbeat_of(processes[at], processes[at + 1], now)
    if now - beat <= trust then
      serving[#serving + 1] = processes[at]
    end
  end
  return serving
end
