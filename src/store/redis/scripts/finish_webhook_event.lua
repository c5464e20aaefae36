-- ARGV: event, milliseconds to remember it for.

finish_event(ARGV[2], ARGV[3])
return true
