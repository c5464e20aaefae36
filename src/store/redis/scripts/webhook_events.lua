-- Settles a notice: its name stays for a while, what it said does not.
local function put_away(notice, known_for)
  redis.call('ZREM', key('notices'), notice)
  if redis.call('EXISTS', key('notice:' .. notice)) == 1 then
    redis.call('HDEL', key('notice:' .. notice), 'text')
    redis.call('PEXPIRE', key('notice:' .. notice), known_for)
  end
end
