-- Queues a message to the webhook of an account, or a mail if it has none; whether it has one. ARGV: account, id, body, when,
-- how many may wait, mail or '', its kind.

local account = ARGV[2]
if redis.call('EXISTS', key('hook:' .. account)) == 1 then
  queue_delivery(ARGV[3], account, ARGV[4], ARGV[5], ARGV[6])
  return 1
end
if ARGV[7] ~= '' and redis.call('EXISTS', key('account:' .. account)) == 1 and not is_blocked(account) then
  queue_mail(ARGV[7], account, ARGV[8], ARGV[5], ARGV[5])
end
return 0
