-- Answers the name of the change. ARGV: account.

return announce('call_in', ARGV[2])
