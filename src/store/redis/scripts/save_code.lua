-- ARGV: account, code, when it expires, now, milliseconds after which all may be forgotten in any case.

-- not if it was erased meanwhile
if redis.call('EXISTS', key('account:' .. ARGV[2])) == 1 then
  save_code(ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6])
end
return true
