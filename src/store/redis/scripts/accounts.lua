-- What scripts about accounts and keys share. Nothing in here writes before all that can be refused was.

-- An account as it is answered.
local function described(account)
  local kept = redis.call('HMGET', key('account:' .. account), 'email', 'plan', 'created_at')
  return { account, kept[1], kept[2], kept[3] }
end

local function open_account(account, email, plan, created_at)
  redis.call('HSET', key('account:' .. account), 'email', email, 'plan', plan, 'created_at', created_at)
  redis.call('HSET', key('emails'), email, account)
end

-- The account of an address, or false.
local function account_of(email)
  return redis.call('HGET', key('emails'), email)
end

-- Whose a key is, revoked or not, or false.
local function owner_of(hash)
  return redis.call('HGET', key('key:' .. hash), 'account')
end

local function is_live(hash)
  return redis.call('HEXISTS', key('key:' .. hash), 'revoked_at') == 0
end

local function add_key(account, hash, first4, last4, created_at)
  redis.call('HSET', key('key:' .. hash), 'account', account, 'first4', first4, 'last4', last4,
    'created_at', created_at)
  redis.call('SADD', key('keys:' .. account), hash)
end

local function revoke(hash, at)
  redis.call('HSET', key('key:' .. hash), 'revoked_at', at)
end

local function live_keys(account)
  local live = {}
  for _, hash in ipairs(redis.call('SMEMBERS', key('keys:' .. account))) do
    if is_live(hash) then
      live[#live + 1] = hash
    end
  end
  return live
end

-- Queues a letter, unless it is in the queue already.
local function queue(letter, account, kind, queued_at, due_at)
  if redis.call('EXISTS', key('letter:' .. letter)) == 0 then
    redis.call('HSET', key('letter:' .. letter), 'account', account, 'kind', kind, 'queued_at', queued_at,
      'attempts', 0)
    redis.call('ZADD', key('letters'), due_at, letter)
  end
end
