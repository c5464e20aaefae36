-- Answers the rows of some tables, all of one moment: see rows.rs. An empty value is false.
-- ARGV: milliseconds for which finished webhook events are remembered, tables.

local wanted, rows = {}, {}
for at = 3, #ARGV do
  wanted[ARGV[at]] = true
end

local function add(...)
  rows[#rows + 1] = { ... }
end

local function number(value)
  return value and string.format('%d', value)
end

local now = moment()
local function expires_at(name)
  local at = redis.pcall('PEXPIRETIME', name)
  if type(at) ~= 'number' then
    -- Redis 6 has no such command
    local left = redis.call('PTTL', name)
    at = left >= 0 and now + left or -1
  end
  return at >= 0 and at
end

-- Visits every key with a prefix once.
local function each(prefix, visit)
  local cursor, seen = '0', {}
  repeat
    local found = redis.call('SCAN', cursor, 'MATCH', key(prefix) .. '*', 'COUNT', 1000)
    cursor = found[1]
    for _, name in ipairs(found[2]) do
      if not seen[name] then
        seen[name] = true
        visit(name, string.sub(name, #key(prefix) + 1))
      end
    end
  until cursor == '0'
end

local function pairs_of(name)
  local flat, at = redis.call('HGETALL', name), -1
  return function()
    at = at + 2
    return flat[at], flat[at + 1]
  end
end

if wanted.accounts then
  for _, id in pairs_of(key('emails')) do
    add('accounts', id, unpack(redis.call('HMGET', key('account:' .. id), 'email', 'plan', 'created_at', 'name',
      'company', 'use_case', 'blocked_at', 'blocked_reason')))
  end
end
if wanted.keys then
  each('key:', function(name, hash)
    add('keys', hash, unpack(redis.call('HMGET', name, 'account', 'first4', 'last4', 'created_at', 'revoked_at')))
  end)
end
if wanted.codes then
  each('codes:', function(name, account)
    for code, ends_at in pairs_of(name) do
      add('codes', account, code, ends_at)
    end
  end)
end
if wanted.letters then
  local queued = redis.call('ZRANGE', key('letters'), 0, -1, 'WITHSCORES')
  for at = 1, #queued, 2 do
    local kept = redis.call('HMGET', key('letter:' .. queued[at]), 'account', 'kind', 'queued_at', 'attempts', 'key',
      'owner')
    add('letters', queued[at], kept[1], kept[2], kept[3], queued[at + 1], kept[4], kept[5], kept[6])
  end
end
if wanted.tallies then
  each('tally:', function(name, tally)
    add('tallies', tally, redis.call('GET', name), number(expires_at(name)))
  end)
end
if wanted.leases then
  each('lease:', function(name, lease)
    local account, period = string.match(lease, '^([^:]+):(.*)$')
    for holder, reported in pairs_of(name) do
      local count, granted, used, by_action = string.match(reported, '^(%d+):(%d+):(%d+):(.*)$')
      -- the hash also has two sums
      if count then
        add('leases', account, period, holder, count, granted, used, by_action, number(expires_at(name)))
      end
    end
  end)
end
if wanted.books then
  each('books:', function(name, account)
    local kept = redis.call('HMGET', name, 'version', 'text')
    add('books', account, kept[1], kept[2], redis.call('ZSCORE', key('books'), account))
  end)
end
if wanted.payers then
  for reference, account in pairs_of(key('payers')) do
    add('payers', reference, account)
  end
end
if wanted.notices then
  each('notice:', function(name, event)
    local kept = redis.call('HMGET', name, 'text', 'at', 'attempts')
    local ends_at = expires_at(name)
    add('notices', event, kept[1] or '', kept[2], redis.call('ZSCORE', key('notices'), event), kept[3],
      ends_at and number(ends_at - ARGV[2]))
  end)
end
if wanted.erased then
  for account, kept in pairs_of(key('erased')) do
    local at, text = string.match(kept, '^(%d+):(.*)$')
    add('erased', account, at, text)
  end
end
if wanted.audit then
  for _, entry in ipairs(redis.call('LRANGE', key('audit'), 0, -1)) do
    local values = cjson.decode(entry)
    for at = 1, #values do
      values[at] = values[at] ~= '' and string.sub(values[at], 2)
    end
    add('audit', unpack(values))
  end
end
return rows
