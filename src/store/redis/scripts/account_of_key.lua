-- ARGV: key.

local account = owner_of(ARGV[2])
return account and is_live(ARGV[2]) and fields_of(account)
