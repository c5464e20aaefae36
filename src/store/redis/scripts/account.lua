-- ARGV: address.

local account = account_of(ARGV[2])
return account and fields_of(account)
