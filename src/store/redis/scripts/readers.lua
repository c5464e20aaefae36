-- Shared by scripts about readers of the weekly letter. `reader_of:` leads from an address to its reader, and both are
-- forgotten together while the reader has not confirmed.

-- The fields of a reader, as scripts answer them, or false.
local function reader_fields(id)
  local kept = redis.call('HMGET', key('reader:' .. id), 'email', 'language', 'area', 'asked_at', 'confirmed_at')
  if not kept[1] then
    return false
  end
  return { id, unpack(kept, 1, 5) }
end
