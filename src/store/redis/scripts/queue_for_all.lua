-- Queues a message to every webhook. ARGV: id, body, when, how many may wait for one account.

for _, account in ipairs(redis.call('SMEMBERS', key('hooks'))) do
  if not is_blocked(account) then
    queue_delivery(ARGV[2] .. '_' .. string.sub(account, 6), account, ARGV[3], ARGV[4], ARGV[5])
  end
end
return true
