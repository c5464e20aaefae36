-- The names of the processes that serve: those whose last heartbeat is within their trust window.
local function serving_processes(now)
  local serving, processes = {}, redis.call('HGETALL', key('processes'))
  for at = 1, #processes, 2 do
    local beat, trust = string.match(processes[at + 1], '^(%d+):(%d+):')
    if now - beat <= trust + 0 then
      serving[#serving + 1] = processes[at]
    end
  end
  return serving
end
