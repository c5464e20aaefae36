-- Answers rows key by key: see rows.rs. An empty value is false. The answer is where to go on, and each key with its
-- rows; the rows of one key are of one moment, and an account brings its keys, tokens, codes and
-- subscription.
-- ARGV: milliseconds for which finished webhook events are remembered, then either 'scan', where to begin, the pattern of
-- the keys, or 'keys', the names of the keys.

local now = moment()
local rows

local function add(...)
  rows[#rows + 1] = { ... }
end

local function number(value)
  return value and string.format('%d', value)
end

local function expires_at(name)
  local at = redis.pcall('PEXPIRETIME', name)
  if type(at) ~= 'number' then
    -- Redis 6 has no such command
    local left = redis.call('PTTL', name)
    at = left >= 0 and now + left or -1
  end
  return at >= 0 and at
end

local function pairs_of(name)
  local flat, at = redis.call('HGETALL', name), -1
  return function()
    at = at + 2
    return flat[at], flat[at + 1]
  end
end

-- What the keys of a table hold, by the name before the first colon.
local read = {
  account = function(name, id)
    add('accounts', id, unpack(redis.call('HMGET', name, 'email', 'plan', 'created_at', 'name', 'company', 'use_case',
      'blocked_at', 'blocked_reason')))
    for _, hash in ipairs(redis.call('SMEMBERS', key('keys:' .. id))) do
      add('keys', hash, unpack(redis.call('HMGET', key('key:' .. hash), 'account', 'first4', 'last4', 'created_at',
        'revoked_at')))
    end
    for token, hash in pairs_of(key('tokens:' .. id)) do
      add('tokens', token, id, hash, unpack(redis.call('HMGET', key('token:' .. hash), 'last4', 'origins', 'created_at')))
    end
    local hook = redis.call('HMGET', key('hook:' .. id), 'url', 'secret', 'created_at', 'last_at', 'last_result')
    if hook[1] then
      add('hooks', id, unpack(hook))
    end
    for code, ends_at in pairs_of(key('codes:' .. id)) do
      add('codes', id, code, ends_at)
    end
    local kept = redis.call('HMGET', key('books:' .. id), 'version', 'text')
    if kept[1] then
      add('books', id, kept[1], kept[2], redis.call('ZSCORE', key('books'), id))
    end
  end,
  letter = function(name, id)
    local kept = redis.call('HMGET', name, 'account', 'kind', 'queued_at', 'attempts', 'key', 'owner',
      'recipient')
    local due_at = redis.call('ZSCORE', key('letters'), id)
    if due_at then
      add('letters', id, kept[1], kept[2], kept[3], due_at, kept[4], kept[5], kept[6], kept[7])
    end
  end,
  delivery = function(name, id)
    local kept = redis.call('HMGET', name, 'account', 'body', 'queued_at', 'attempts')
    local due_at = redis.call('ZSCORE', key('deliveries'), id)
    if due_at then
      add('deliveries', id, kept[1], kept[2], kept[3], due_at, kept[4])
    end
  end,
  tally = function(name, tally)
    add('tallies', tally, redis.call('GET', name), number(expires_at(name)))
  end,
  lease = function(name, lease)
    local account, period = string.match(lease, '^([^:]+):(.*)$')
    for holder, reported in pairs_of(name) do
      local count, granted, used, by_action = string.match(reported, '^(%d+):(%d+):(%d+):(.*)$')
      -- the hash also has two sums
      if count then
        add('leases', account, period, holder, count, granted, used, by_action, number(expires_at(name)))
      end
    end
  end,
  notice = function(name, event)
    local kept = redis.call('HMGET', name, 'text', 'at', 'attempts')
    local ends_at = expires_at(name)
    add('notices', event, kept[1] or '', kept[2], redis.call('ZSCORE', key('notices'), event), kept[3],
      ends_at and number(ends_at - ARGV[2]))
  end,
  payers = function(name)
    for reference, account in pairs_of(name) do
      add('payers', reference, account)
    end
  end,
  erased = function(name)
    for account, kept in pairs_of(name) do
      local at, text = string.match(kept, '^(%d+):(.*)$')
      add('erased', account, at, text)
    end
  end,
  asked = function(name, day)
    local forget_at = number(expires_at(name))
    for field, counted in pairs_of(name) do
      local run, question = string.match(field, '^([^:]*):(.*)$')
      local callers, times = string.match(counted, '^(%d+):(%d+)$')
      add('asked', day, run, question, callers, times, forget_at)
    end
  end,
  suggestion = function(name, id)
    local kept = redis.call('HMGET', name, 'at', 'about', 'text', 'contact', 'done_at')
    add('suggestions', id, kept[1], kept[2], kept[3], kept[4], kept[5], number(expires_at(name)))
  end,
  reader = function(name, id)
    local kept = redis.call('HMGET', name, 'email', 'language', 'area', 'asked_at', 'confirmed_at', 'attempts')
    add('readers', id, kept[1], kept[2], kept[3], kept[4], kept[5], redis.call('ZSCORE', key('readers'), id), kept[6],
      number(expires_at(name)))
  end,
  audit = function(name)
    for _, entry in ipairs(redis.call('LRANGE', name, 0, -1)) do
      local values = cjson.decode(entry)
      for at = 1, #values do
        values[at] = values[at] ~= '' and string.sub(values[at], 2)
      end
      add('audit', unpack(values))
    end
  end,
}

local cursor, names = '0', {}
if ARGV[3] == 'scan' then
  local found = redis.call('SCAN', ARGV[4], 'MATCH', key(ARGV[5]), 'COUNT', 500)
  cursor, names = found[1], found[2]
else
  for at = 4, #ARGV do
    names[#names + 1] = key(ARGV[at])
  end
end
local keys = {}
for _, name in ipairs(names) do
  local short = string.sub(name, #key('') + 1)
  local kind, rest = string.match(short, '^([^:]*):?(.*)$')
  if read[kind] and redis.call('EXISTS', name) == 1 then
    rows = {}
    read[kind](name, rest)
    keys[#keys + 1] = { short, rows }
  end
end
return { cursor, keys }
