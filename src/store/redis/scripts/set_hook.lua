-- Sets the webhook of an account, or removes it; false when there is no account, or was no webhook. ARGV: account, address or
-- '', secret, when.

local account = ARGV[2]
if ARGV[3] == '' then
  return drop_hook(account)
end
if redis.call('EXISTS', key('account:' .. account)) == 0 then
  return 0
end
-- what waits is still for the same address, with another secret
if redis.call('HGET', key('hook:' .. account), 'url') ~= ARGV[3] then
  drop_deliveries(account)
end
add_hook(account, ARGV[3], ARGV[4], ARGV[5])
return 1
