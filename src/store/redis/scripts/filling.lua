-- The epoch of a store that a restore is filling, or that a restore left half full.
local FILLING = 'filling'

-- What a script answers then.
local function half_full()
  return redis.error_reply('FILLING a restore has not ended')
end
