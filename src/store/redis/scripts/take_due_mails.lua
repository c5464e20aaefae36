-- ARGV: now, when they are due again, how many at most, the mailer that asks, the due time up to which it takes mails of
-- other owners, then the kinds that it sends.

local max, taker, abandoned_at = tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6])
local sends = {}
for at = 7, #ARGV do
  sends[ARGV[at]] = true
end

-- Chosen before any is written, as a write moves the places of those after it.
local chosen, place = {}, 0
while #chosen < max do
  local found = redis.call('ZRANGEBYSCORE', key('letters'), '-inf', ARGV[2], 'WITHSCORES', 'LIMIT', place, 100)
  for index = 1, #found, 2 do
    local kept = redis.call('HMGET', key('letter:' .. found[index]), 'owner', 'kind')
    local owner = kept[1]
    local is_free = not owner or owner == taker or tonumber(found[index + 1]) <= abandoned_at
    -- one that is gone is chosen, so that it goes from the queue
    if is_free and (not kept[2] or sends[kept[2]]) and #chosen < max then
      chosen[#chosen + 1] = found[index]
    end
  end
  if #found < 200 then
    break
  end
  place = place + 100
end

local due = {}
for _, mail in ipairs(chosen) do
  local kept = redis.call('HMGET', key('letter:' .. mail), 'account', 'kind', 'queued_at', 'recipient')
  local email = kept[1] and redis.call('HGET', key('account:' .. kept[1]), 'email')
  if email then
    redis.call('ZADD', key('letters'), ARGV[3], mail)
    local attempts = redis.call('HINCRBY', key('letter:' .. mail), 'attempts', 1)
    due[#due + 1] = { mail, kept[1], kept[4] or email, kept[2], kept[3], attempts }
  else
    -- a mail without an account would stop all others
    drop_mail(mail)
  end
end
return due
