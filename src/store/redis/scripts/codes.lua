-- Shared by scripts about codes and sessions: all are in the hash `codes:`, those that a key has opened also in the
-- sorted set `key_sessions:`, by their end.

-- Saves a code, and drops those of its account that have expired.
local function save_code(account, code, expires_at, now, forget)
  local codes = key('codes:' .. account)
  local kept = redis.call('HGETALL', codes)
  for at = 1, #kept, 2 do
    if tonumber(kept[at + 1]) <= tonumber(now) then
      redis.call('HDEL', codes, kept[at])
    end
  end
  redis.call('HSET', codes, code, expires_at)
  redis.call('PEXPIRE', codes, forget)
end

-- Drops a code, or ends a session.
local function end_code(account, code)
  redis.call('HDEL', key('codes:' .. account), code)
  redis.call('ZREM', key('key_sessions:' .. account), code)
end

local function is_valid_code(account, code, now)
  local expires_at = redis.call('HGET', key('codes:' .. account), code)
  return expires_at and tonumber(expires_at) > tonumber(now)
end
