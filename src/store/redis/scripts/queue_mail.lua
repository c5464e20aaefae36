-- Queues a mail to the account of an address, which is created if the address is new. ARGV: account, email, plan,
-- created_at, mail, kind, when.

local account = account_of(ARGV[3])
if not account then
  account = ARGV[2]
  open_account(account, ARGV[3], ARGV[4], ARGV[5])
end
queue_mail(ARGV[6], account, ARGV[7], ARGV[8], ARGV[8])
return true
