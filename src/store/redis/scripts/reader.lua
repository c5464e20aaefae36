-- Answers a reader, or false. ARGV: id, or '' for that of an address, the address.

local id = ARGV[2]
if id == '' then
  id = redis.call('GET', key('reader_of:' .. ARGV[3]))
end
return id and reader_fields(id)
