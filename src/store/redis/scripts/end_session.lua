-- ARGV: account, session.

end_code(ARGV[2], ARGV[3])
return true
