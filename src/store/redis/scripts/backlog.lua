-- Answers since when the oldest mail waits, the oldest webhook event, and the longest due subscription, and when the last
-- backup was made; each '' without one.

-- Of a long queue both ends are looked at: what is due first, and what was postponed most often.
local ENDS = 500

local function oldest(queue, kind, field)
  local found
  local ends = { redis.call('ZRANGE', key(queue), 0, ENDS - 1), redis.call('ZRANGE', key(queue), -ENDS, -1) }
  for _, members in ipairs(ends) do
    for _, member in ipairs(members) do
      local at = tonumber(redis.call('HGET', key(kind .. ':' .. member), field) or '')
      if at and (not found or at < found) then
        found = at
      end
    end
  end
  return found and string.format('%d', found) or ''
end

local due = redis.call('ZRANGE', key('books'), 0, 0, 'WITHSCORES')[2]
return {
  oldest('letters', 'letter', 'queued_at'),
  oldest('notices', 'notice', 'at'),
  due and string.format('%d', tonumber(due)) or '',
  redis.call('GET', key('backup')) or '',
}
