-- Inserts rows of one table: see rows.rs. ARGV: milliseconds for which finished webhook events are remembered, the
-- table, the number of its columns, then the values: each behind '=', or empty.

local columns = tonumber(ARGV[4])

-- Sets the fields of a hash that have a value.
local function set(name, ...)
  local fields = { ... }
  for at = 1, #fields, 2 do
    if fields[at + 1] then
      redis.call('HSET', name, fields[at], fields[at + 1])
    end
  end
end

local insert = {
  accounts = function(id, email, plan, created_at, name, company, use_case, blocked_at, blocked_reason)
    open_account(id, email, plan, created_at)
    set(key('account:' .. id), 'name', name, 'company', company, 'use_case', use_case, 'blocked_at', blocked_at,
      'blocked_reason', blocked_reason)
  end,
  keys = function(hash, account, first4, last4, created_at, revoked_at)
    insert_key(account, hash, first4, last4, created_at)
    set(key('key:' .. hash), 'revoked_at', revoked_at)
  end,
  hooks = function(account, url, secret, created_at, last_at, last_result)
    add_hook(account, url, secret, created_at)
    set(key('hook:' .. account), 'last_at', last_at, 'last_result', last_result)
  end,
  deliveries = function(id, account, body, queued_at, due_at, attempts)
    add_delivery(id, account, body, queued_at, due_at, attempts)
  end,
  tokens = function(id, account, hash, last4, origins, created_at)
    add_token(id, account, hash, last4, origins, created_at)
  end,
  codes = function(account, hash, expires_at, level)
    local codes, latest = key('codes:' .. account), 0
    redis.call('HSET', codes, hash, expires_at)
    for _, ends_at in ipairs(redis.call('HVALS', codes)) do
      latest = math.max(latest, tonumber(ends_at))
    end
    redis.call('PEXPIREAT', codes, string.format('%d', latest))
    if level == KEY_SESSION then
      redis.call('ZADD', key('key_sessions:' .. account), expires_at, hash)
      redis.call('PEXPIREAT', key('key_sessions:' .. account), string.format('%d', latest))
    end
  end,
  letters = function(id, account, kind, queued_at, due_at, attempts, made, owner, recipient)
    set(key('letter:' .. id), 'account', account, 'kind', kind, 'queued_at', queued_at, 'attempts', attempts, 'key',
      made, 'owner', owner, 'recipient', recipient)
    add_to_queue(id, account, due_at)
  end,
  tallies = function(name, counted, ends_at)
    redis.call('SET', key('tally:' .. name), counted)
    redis.call('PEXPIREAT', key('tally:' .. name), ends_at)
  end,
  leases = function(account, period, holder, number, granted, used, by_action, forget_at)
    local name = key('lease:' .. account .. ':' .. period)
    -- a script whose answer was lost runs again
    if redis.call('HSETNX', name, holder, number .. ':' .. granted .. ':' .. used .. ':' .. by_action) == 1 then
      redis.call('HINCRBY', name, '=granted', granted)
      redis.call('HINCRBY', name, '=used', used)
      redis.call('PEXPIREAT', name, forget_at)
    end
  end,
  books = function(account, version, text, due_at)
    set(key('books:' .. account), 'version', version, 'text', text)
    if due_at then
      redis.call('ZADD', key('books'), due_at, account)
    end
  end,
  payers = function(reference, account)
    redis.call('HSET', key('payers'), reference, account)
    redis.call('HSET', key('books:' .. account), 'payer:' .. reference, '')
  end,
  notices = function(id, text, at, due_at, attempts, settled_at)
    local name = key('notice:' .. id)
    set(name, 'at', at, 'attempts', attempts)
    if due_at then
      set(name, 'text', text)
      redis.call('ZADD', key('notices'), due_at, id)
    elseif settled_at then
      redis.call('PEXPIREAT', name, settled_at + ARGV[2])
    end
  end,
  asked = function(day, run, question, callers, times, forget_at)
    redis.call('HSET', key('asked:' .. day), run .. ':' .. question, callers .. ':' .. times)
    redis.call('PEXPIREAT', key('asked:' .. day), forget_at)
  end,
  suggestions = function(id, at, about, text, contact, done_at, forget_at)
    local name = key('suggestion:' .. id)
    set(name, 'at', at, 'about', about, 'text', text, 'contact', contact, 'done_at', done_at)
    redis.call('PEXPIREAT', name, forget_at)
  end,
  readers = function(id, email, language, area, asked_at, confirmed_at, due_at, attempts, forget_at)
    local name, of = key('reader:' .. id), key('reader_of:' .. email)
    set(name, 'email', email, 'language', language, 'area', area, 'asked_at', asked_at, 'confirmed_at', confirmed_at,
      'attempts', attempts)
    redis.call('SET', of, id)
    if due_at then
      redis.call('ZADD', key('readers'), due_at, id)
    end
    if forget_at then
      redis.call('PEXPIREAT', name, forget_at)
      redis.call('PEXPIREAT', of, forget_at)
    end
  end,
  erased = function(account, at, text)
    redis.call('HSET', key('erased'), account, at .. ':' .. text)
  end,
}

for at = 5, #ARGV, columns do
  local values = {}
  for column = 1, columns do
    local value = ARGV[at + column - 1]
    values[column] = value ~= '' and string.sub(value, 2)
  end
  if ARGV[3] == 'audit' then
    local entry = {}
    for column = 1, columns do
      entry[column] = ARGV[at + column - 1]
    end
    redis.call('RPUSH', key('audit'), cjson.encode(entry))
  else
    insert[ARGV[3]](unpack(values, 1, columns))
  end
end
return true
