-- Answers whether the mail is still queued, without which nothing is saved. ARGV: mail, code, when it expires, now,
-- milliseconds after which all may be forgotten in any case.

local account = redis.call('HGET', key('letter:' .. ARGV[2]), 'account')
-- the mails of an account go after it when it is erased
if not account or redis.call('EXISTS', key('account:' .. account)) == 0 then
  return false
end
save_code(account, ARGV[3], ARGV[4], ARGV[5], ARGV[6])
return true
