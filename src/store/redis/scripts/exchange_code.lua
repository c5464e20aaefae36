-- Exchanges a code for a session. Answers the account, or false.
-- ARGV: account, code, session, when it ends, now, milliseconds after which all may be forgotten in any case, then the
-- limits that begin anew.

local account, code, session, now = ARGV[2], ARGV[3], ARGV[4], ARGV[6]
if redis.call('EXISTS', key('account:' .. account)) == 0 or is_blocked(account) then
  return false
end
-- there is a session already when the request is a repeated one
if not is_valid_code(account, session, now) then
  if not is_valid_code(account, code, now) then
    return false
  end
  end_code(account, code)
  save_code(account, session, ARGV[5], now, ARGV[7])
  renew(8)
end
return fields_of(account)
