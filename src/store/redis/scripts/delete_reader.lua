-- Answers the id of the reader that it deletes, or false. ARGV: id, or '' for that of an address, the address.

local id = ARGV[2]
if id == '' then
  id = redis.call('GET', key('reader_of:' .. ARGV[3]))
end
local email = id and redis.call('HGET', key('reader:' .. id), 'email')
if not email then
  return false
end
redis.call('DEL', key('reader:' .. id))
redis.call('DEL', key('reader_of:' .. email))
redis.call('ZREM', key('readers'), id)
return id
