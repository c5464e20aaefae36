-- Shared by scripts about accounts and keys. A script must check everything before it writes anything.

-- The fields of an account, as scripts answer them.
local function fields_of(account)
  local kept = redis.call('HMGET', key('account:' .. account), 'email', 'plan', 'created_at', 'blocked_at')
  return { account, kept[1], kept[2], kept[3], kept[4] and 1 or 0 }
end

local function is_blocked(account)
  return redis.call('HEXISTS', key('account:' .. account), 'blocked_at') == 1
end

local function open_account(account, email, plan, created_at)
  redis.call('HSET', key('account:' .. account), 'email', email, 'plan', plan, 'created_at', created_at)
  redis.call('HSET', key('emails'), email, account)
end

-- The account of an address, or false.
local function account_of(email)
  return redis.call('HGET', key('emails'), email)
end

-- The account of a key, revoked or not, or false.
local function owner_of(hash)
  return redis.call('HGET', key('key:' .. hash), 'account')
end

-- One that was dropped is as dead as one that is kept.
local function is_live(hash)
  local kept = redis.call('HMGET', key('key:' .. hash), 'account', 'revoked_at')
  return kept[1] and not kept[2]
end

-- Drops revoked keys of an account that were kept long enough.
local function drop_old_keys(account, now)
  local keys = key('keys:' .. account)
  if redis.call('SCARD', keys) <= REVOKED_KEYS_KEPT then
    return
  end
  local revoked = {}
  for _, hash in ipairs(redis.call('SMEMBERS', keys)) do
    local at = tonumber(redis.call('HGET', key('key:' .. hash), 'revoked_at') or '')
    if at then
      revoked[#revoked + 1] = { hash, at }
    end
  end
  table.sort(revoked, function(one, other)
    if one[2] ~= other[2] then
      return one[2] > other[2]
    end
    return one[1] > other[1]
  end)
  for place = REVOKED_KEYS_KEPT + 1, #revoked do
    local hash, at = unpack(revoked[place])
    if at < tonumber(now) - REVOKED_KEY_KEPT_MILLIS then
      redis.call('DEL', key('key:' .. hash))
      redis.call('SREM', keys, hash)
    end
  end
end

local function insert_key(account, hash, first4, last4, created_at)
  redis.call('HSET', key('key:' .. hash), 'account', account, 'first4', first4, 'last4', last4,
    'created_at', created_at)
  redis.call('SADD', key('keys:' .. account), hash)
end

-- Adds a key to an account, and drops revoked ones that were kept long enough.
local function add_key(account, hash, first4, last4, created_at)
  insert_key(account, hash, first4, last4, created_at)
  drop_old_keys(account, created_at)
end

local function add_token(id, account, hash, last4, origins, created_at)
  redis.call('HSET', key('token:' .. hash), 'id', id, 'account', account, 'last4', last4, 'origins', origins,
    'created_at', created_at)
  redis.call('HSET', key('tokens:' .. account), id, hash)
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

-- Puts a mail in the queue, and among those of its account: no script may read the whole queue.
local function add_to_queue(mail, account, due_at)
  redis.call('ZADD', key('letters'), due_at, mail)
  redis.call('SADD', key('letters:' .. account), mail)
end

local function drop_mail(mail)
  local account = redis.call('HGET', key('letter:' .. mail), 'account')
  if account then
    redis.call('SREM', key('letters:' .. account), mail)
  end
  redis.call('ZREM', key('letters'), mail)
  redis.call('DEL', key('letter:' .. mail))
end

-- Queues a mail, unless it is queued already; the owner is the mailer that holds its key, if any, and the
-- recipient another address than that of the account.
local function queue_mail(mail, account, kind, queued_at, due_at, owner, recipient)
  if redis.call('EXISTS', key('letter:' .. mail)) == 0 then
    redis.call('HSET', key('letter:' .. mail), 'account', account, 'kind', kind, 'queued_at', queued_at,
      'attempts', 0)
    if owner then
      redis.call('HSET', key('letter:' .. mail), 'owner', owner)
    end
    if recipient then
      redis.call('HSET', key('letter:' .. mail), 'recipient', recipient)
    end
    add_to_queue(mail, account, due_at)
  end
end

-- Drops the queued mails of an account, or those of some kinds.
local function drop_mails(account, kinds)
  for _, mail in ipairs(redis.call('SMEMBERS', key('letters:' .. account))) do
    if not kinds or kinds[redis.call('HGET', key('letter:' .. mail), 'kind')] then
      drop_mail(mail)
    end
  end
end

-- Drops the codes of an account, and ends its sessions.
local function drop_codes(account)
  redis.call('DEL', key('codes:' .. account), key('key_sessions:' .. account))
end

-- Drops the codes and sessions of an account, and its unsent mails that bring a key or a code.
local function drop_access(account)
  drop_codes(account)
  drop_mails(account, OPENS_ACCESS)
end

-- Gives an account another address in place of its old one, which ends all that a mailbox gives access to.
local function change_email(account, old, email)
  redis.call('HDEL', key('emails'), old)
  redis.call('HSET', key('emails'), email, account)
  redis.call('HSET', key('account:' .. account), 'email', email)
  drop_access(account)
end
