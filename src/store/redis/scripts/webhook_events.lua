-- Finishes a webhook event: its id stays for a while, its content does not.
local function finish_event(event, remembered_for)
  redis.call('ZREM', key('notices'), event)
  if redis.call('EXISTS', key('notice:' .. event)) == 1 then
    redis.call('HDEL', key('notice:' .. event), 'text')
    redis.call('PEXPIRE', key('notice:' .. event), remembered_for)
  end
end
