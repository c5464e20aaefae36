-- ARGV: the limits, as limits.lua takes them.

return count_attempt(2, #ARGV)
