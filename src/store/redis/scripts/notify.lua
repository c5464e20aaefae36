-- Notifies an account of an event, unless that was done or it is blocked: a message to its webhook, or a mail if it has none.
-- ARGV: the name of the event, the milliseconds for which it is known, account, id, body, when, how many may wait, mail, its
-- kind.

local account, at = ARGV[4], ARGV[7]
if redis.call('EXISTS', key('account:' .. account)) == 1 and not is_blocked(account)
  and is_first(ARGV[2], ARGV[3]) and queue_for_hook(account, ARGV[5], ARGV[6], at, ARGV[8]) == 'no hook' then
  queue_mail(ARGV[9], account, ARGV[10], at, at)
end
return true
