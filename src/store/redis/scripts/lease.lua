-- The rule of lease_rule.rs for several processes: with smaller blocks, and without new grants for a while in a Redis
-- that may have lost writes. Answers the calls granted, what others have used and been granted, since when writes may
-- be missing, and, to who gets nothing, how many unspent calls holders have whose processes have ended. Those stay
-- granted: a process that was only frozen goes on with them.
-- ARGV: account and period, holder (before '@' and its process), limit, number, used, held, want, by action,
-- milliseconds to keep it.

local at, holder = key('lease:' .. ARGV[2]), ARGV[3]
local limit, number, used = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local held, want = tonumber(ARGV[7]), tonumber(ARGV[8])

-- how long processes have to report their leases again after a restart or failover of Redis
local RESTATING = 2000

-- The unspent calls of all other holders whose processes do not serve. Programs before this one wrote no process.
local function lost_calls(leases, own, serving)
  local is_serving, lost, all = {}, 0, redis.call('HGETALL', leases)
  for _, process in ipairs(serving) do
    is_serving[process] = true
  end
  for at = 1, #all, 2 do
    local process = string.match(all[at], '@(.*)$')
    if process and all[at] ~= own and not is_serving[process] then
      local granted, used = string.match(all[at + 1], '^%d+:(%d+):(%d+):')
      lost = lost + granted - used
    end
  end
  return lost
end

local now = moment()
local since = lost_since(now)
local life = string.format('%d', since)
local kept = redis.call('HMGET', at, '=granted', '=used', holder)
if not kept[1] and redis.call('EXISTS', key('account:' .. string.match(ARGV[2], '^[^:]*'))) == 0 then
  -- a process that reports its calls after the erasure brings nothing of the account back
  return { used, 0, 0, life, 0 }
end
local own_number, own_granted, own_used = string.match(kept[3] or '0:0:0:', '^(%d+):(%d+):(%d+):')
own_number, own_granted = tonumber(own_number), tonumber(own_granted)
local others_granted = tonumber(kept[1] or 0) - own_granted
local others_used = tonumber(kept[2] or 0) - tonumber(own_used)
if number <= own_number then
  return { own_granted, others_used, others_granted, life, 0 }
end

local granted, others_lost = nil, 0
if now < since + RESTATING then
  -- the holder keeps what it reports, and gets nothing new until all others have reported
  granted = want == 0 and used or math.max(used, held)
else
  local available = math.max(limit - others_granted, 0)
  local left = math.max(available - used, 0)
  local serving = serving_processes(now)
  local alive = #serving
  local most = left
  if alive > 1 and left > 0 then
    most = math.max(1, math.floor(left / (4 * alive)))
  end
  local kept_back = want == 0 and used or math.min(own_granted, held)
  granted = math.min(math.max(used + math.min(want, most), kept_back), math.max(available, used))
  if want > 0 and granted == used and others_granted > others_used then
    others_lost = lost_calls(at, holder, serving)
  end
end

redis.call('HSET', at, '=granted', others_granted + granted, '=used', others_used + used,
  holder, string.format('%d:%d:%d:%s', number, granted, used, ARGV[9]))
if not kept[1] then
  redis.call('PEXPIRE', at, ARGV[10])
end
return { granted, others_used, others_granted, life, others_lost }
