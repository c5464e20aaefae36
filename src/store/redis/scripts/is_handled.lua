-- Once every process has handled a change, or has been silent for longer than its trust window: the names of those that
-- were silent. Until then false.
-- ARGV: milliseconds and number of the change, the trust window of processes in milliseconds.

-- the clocks of machines run at slightly different rates
local MARGIN = 100
local wanted, wanted_number = tonumber(ARGV[2]), tonumber(ARGV[3])
local now = moment()
local since = lost_since(now)
-- a process whose registration was lost with the failover is not listed, and may still trust its cache
if since > 0 and now - since <= ARGV[4] + MARGIN then
  return false
end
-- a process that was silent for longer has ended
local RECENT = 60 * 60 * 1000
local silent, processes = {}, redis.call('HGETALL', key('processes'))
for at = 1, #processes, 2 do
  local beat, trust, rest = heartbeat_of(processes[at], processes[at + 1], now)
  local seen, number = string.match(rest, '^(%d+)-(%d+)$')
  seen, number = tonumber(seen), tonumber(number)
  local handled = seen > wanted or (seen == wanted and number >= wanted_number)
  -- its last heartbeats may be lost with the failover
  if not handled and now - math.max(beat, since) <= trust + MARGIN then
    return false
  elseif not handled and now - beat <= RECENT then
    silent[#silent + 1] = processes[at]
  end
end
return silent
