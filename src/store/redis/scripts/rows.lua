-- Answers rows key by key: see rows.rs. An empty value is false. The answer is where to go on, and each key with its
-- rows; the rows of one key are of one moment, and an account brings its keys, tokens, codes and
-- subscription.
-- ARGV: milliseconds for which finished webhook events are remembered, the wanted tables with commas, then one of
--   'scan', where to begin, the pattern of the keys
--   'keys', the names of the keys
--   'of', an account, the names of periods: all of it but what the audit log says
--   'audit', where to begin, an account: what a page of the audit log says of it

local now = moment()
local wanted = {}
for name in string.gmatch(ARGV[3], '[^,]+') do
  wanted[name] = true
end
local rows

local function add(...)
  rows[#rows + 1] = { ... }
end

local function number(value)
  return value and string.format('%d', value)
end

-- Adds a row of a table if it is wanted, with some fields of a hash.
local function add_wanted(name, values, hash, ...)
  if not wanted[name] then
    return
  end
  for _, value in ipairs(redis.call('HMGET', hash, ...)) do
    values[#values + 1] = value
  end
  add(name, unpack(values))
end

local function add_books(id)
  local kept = redis.call('HMGET', key('books:' .. id), 'version', 'text')
  if kept[1] then
    add('books', id, kept[1], kept[2], redis.call('ZSCORE', key('books'), id))
  end
end

local function add_audit(entry)
  local values = cjson.decode(entry)
  for at = 1, #values do
    values[at] = values[at] ~= '' and string.sub(values[at], 2)
  end
  add('audit', unpack(values))
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
    add_wanted('accounts', { id }, name, 'email', 'plan', 'created_at', 'name', 'company', 'use_case', 'blocked_at',
      'blocked_reason')
    for _, hash in ipairs(wanted.keys and redis.call('SMEMBERS', key('keys:' .. id)) or {}) do
      add_wanted('keys', { hash }, key('key:' .. hash), 'account', 'first4', 'last4', 'created_at', 'revoked_at')
    end
    if wanted.tokens then
      for token, hash in pairs_of(key('tokens:' .. id)) do
        add_wanted('tokens', { token, id, hash }, key('token:' .. hash), 'last4', 'origins', 'created_at')
      end
    end
    if wanted.hooks and redis.call('EXISTS', key('hook:' .. id)) == 1 then
      add_wanted('hooks', { id }, key('hook:' .. id), 'url', 'secret', 'created_at', 'last_at', 'last_result')
    end
    if wanted.codes then
      for code, ends_at in pairs_of(key('codes:' .. id)) do
        local is_of_key = redis.call('ZSCORE', key('key_sessions:' .. id), code)
        add('codes', id, code, ends_at, is_of_key and KEY_SESSION)
      end
    end
    if wanted.books then
      add_books(id)
    end
  end,
  books = function(name, id)
    add_books(id)
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
      add_audit(entry)
    end
  end,
}

-- Which keys hold what is wanted, by the name before the first colon. An account brings its subscription, unless
-- nothing else of it is wanted.
local holds = { letters = 'letter', deliveries = 'delivery', tallies = 'tally', leases = 'lease', notices = 'notice',
  payers = 'payers', erased = 'erased', audit = 'audit', asked = 'asked', suggestions = 'suggestion',
  readers = 'reader' }
local is_read = {}
for name in pairs(wanted) do
  is_read[holds[name] or 'account'] = true
end

local keys = {}
local function read_key(short)
  local kind, rest = string.match(short, '^([^:]*):?(.*)$')
  if is_read[kind] and redis.call('EXISTS', key(short)) == 1 then
    rows = {}
    read[kind](key(short), rest)
    keys[#keys + 1] = { short, rows }
  end
end

-- The references of an account: those that were noted beside its subscription, and, as programs before this one noted
-- none, those of the orders in it.
local function references_of(account)
  local names = {}
  for name, value in pairs_of(key('books:' .. account)) do
    names[string.match(name, '^payer:(.*)$') or ''] = true
    local is_read, kept = pcall(cjson.decode, name == 'text' and value or '{}')
    local orders = is_read and type(kept) == 'table' and kept.orders
    for _, order in ipairs(type(orders) == 'table' and orders or {}) do
      for _, id in ipairs(type(order) == 'table' and { order.id or '', order.gateway_id or '' } or {}) do
        names[type(id) == 'string' and id or ''] = true
      end
    end
  end
  names[''] = nil
  return names
end

local how, cursor = ARGV[4], '0'
if how == 'scan' then
  is_read.books = ARGV[6] == 'books:*'
  local found = redis.call('SCAN', ARGV[5], 'MATCH', key(ARGV[6]), 'COUNT', 500)
  cursor = found[1]
  for _, name in ipairs(found[2]) do
    read_key(string.sub(name, #key('') + 1))
  end
elseif how == 'keys' then
  for at = 5, #ARGV do
    read_key(ARGV[at])
  end
elseif how == 'of' then
  local account = ARGV[5]
  read_key('account:' .. account)
  for at = 6, #ARGV do
    read_key('lease:' .. account .. ':' .. ARGV[at])
  end
  for _, id in ipairs(redis.call('SMEMBERS', key('deliveries:' .. account))) do
    read_key('delivery:' .. id)
  end
  -- mails that programs up to 1.3.0 queued are in no set: they are left out until they are sent
  for _, id in ipairs(redis.call('SMEMBERS', key('letters:' .. account))) do
    read_key('letter:' .. id)
  end
  rows = {}
  for reference in pairs(wanted.payers and references_of(account) or {}) do
    if redis.call('HGET', key('payers'), reference) == account then
      add('payers', reference, account)
    end
  end
  local kept = wanted.erased and redis.call('HGET', key('erased'), account)
  if kept then
    add('erased', account, string.match(kept, '^(%d+):(.*)$'))
  end
  keys[#keys + 1] = { 'of:' .. account, rows }
else
  local PAGE = 1000
  local entries = redis.call('LRANGE', key('audit'), ARGV[5], ARGV[5] + PAGE - 1)
  rows = {}
  for _, entry in ipairs(entries) do
    -- few are of one account, and only those are worth parsing
    if string.find(entry, ARGV[6], 1, true) then
      add_audit(entry)
    end
  end
  keys[1] = { 'audit:' .. ARGV[5], rows }
  cursor = #entries == PAGE and string.format('%d', ARGV[5] + PAGE) or '0'
end
return { cursor, keys }
