-- The epoch of a store that a restore is filling, or that a restore left half full.
local FILLING = 'filling'

local SCHEMA_KEY = '{candango}:schema'
local epoch, schema = unpack(redis.call('MGET', KEYS[1], SCHEMA_KEY))

-- Why nothing may be done in the store, if so. Only a restore knows the epoch of one that it fills; a request that was
-- done before, as the one that began the restore, gets its answer: see once.lua.
local refused = schema and tonumber(schema) > SCHEMA and redis.error_reply('NEWER_SCHEMA ' .. schema)
if epoch == FILLING and ARGV[1] ~= FILLING and not (KEYS[2] and redis.call('EXISTS', KEYS[2]) == 1) then
  refused = redis.error_reply('FILLING a restore has not ended')
end
if refused then
  return refused
end
