-- Queues a message about an event to every webhook, unless that was done. ARGV: the name of the event, the milliseconds
-- for which it is known, id, body, when, how many may wait for one account.

if not is_first(ARGV[2], ARGV[3]) then
  return true
end
for _, account in ipairs(redis.call('SMEMBERS', key('hooks'))) do
  if not is_blocked(account) then
    queue_delivery(ARGV[4] .. '_' .. string.sub(account, 6), account, ARGV[5], ARGV[6], ARGV[7])
  end
end
return true
