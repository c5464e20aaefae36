-- Saves a session that a key has opened; beyond `max` of its account the one that ends first ends now. ARGV: account,
-- session, when it ends, now, milliseconds after which all may be forgotten in any case, max.

local account, session = ARGV[2], ARGV[3]
-- not if it was erased meanwhile
if redis.call('EXISTS', key('account:' .. account)) == 1 then
  local sessions = key('key_sessions:' .. account)
  redis.call('ZREMRANGEBYSCORE', sessions, '-inf', ARGV[5])
  -- it is there already when the request is a repeated one
  redis.call('ZREM', sessions, session)
  local over = redis.call('ZCARD', sessions) + 1 - tonumber(ARGV[7])
  if over > 0 then
    for _, ended in ipairs(redis.call('ZRANGE', sessions, 0, over - 1)) do
      end_code(account, ended)
    end
  end
  save_code(account, session, ARGV[4], ARGV[5], ARGV[6])
  redis.call('ZADD', sessions, ARGV[4], session)
  redis.call('PEXPIRE', sessions, ARGV[6])
end
return true
