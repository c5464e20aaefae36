-- Whether every process has taken notice of a change, or has been silent for so long that it trusts its memory no
-- more. ARGV: milliseconds and number of the change, the trust window of processes in milliseconds.

-- clocks of machines run at rates that differ a little
local MARGIN = 100
local wanted, wanted_number = tonumber(ARGV[2]), tonumber(ARGV[3])
local now = moment()
local _, since = life(now)
-- a process that the life before took with it is not known here, and may still trust what it remembers of then
if since > 0 and now - since <= ARGV[4] + MARGIN then
  return false
end
for _, process in ipairs(redis.call('HVALS', key('processes'))) do
  local beat, trust, seen, number = string.match(process, '^(%d+):(%d+):(%d+)-(%d+)$')
  seen, number = tonumber(seen), tonumber(number)
  local noticed = seen > wanted or (seen == wanted and number >= wanted_number)
  -- the last beats of the life before may be lost
  if not noticed and now - math.max(beat, since) <= trust + MARGIN then
    return false
  end
end
return true
