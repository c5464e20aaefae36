-- ARGV: notice, milliseconds it is known for.

put_away(ARGV[2], ARGV[3])
return true
