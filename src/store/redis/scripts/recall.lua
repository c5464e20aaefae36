-- Answers the id of the change. ARGV: account, the process that asks the others, or ''.

return announce('call_in', ARGV[2], ARGV[3])
