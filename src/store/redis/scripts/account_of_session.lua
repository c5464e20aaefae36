-- Answers the account of a session, or false. ARGV: account, session, now.

local account = ARGV[2]
if not is_valid_code(account, ARGV[3], ARGV[4]) or is_blocked(account) then
  return false
end
return fields_of(account)
