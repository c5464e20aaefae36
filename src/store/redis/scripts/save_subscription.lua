-- Answers false, or a list of the name of the change: empty when the plan was not moved.
-- ARGV: account, version it goes by, text, plan or '', when it is due or '', when, notice it settles or '',
-- milliseconds that is known for, how many references, those, then names and kinds of letters.

local account, plan, at = ARGV[2], ARGV[5], ARGV[7]
local books = key('books:' .. account)
local version = tonumber(redis.call('HGET', books, 'version') or 0)
if version ~= tonumber(ARGV[3]) or redis.call('EXISTS', key('account:' .. account)) == 0 then
  return false
end
redis.call('HSET', books, 'version', version + 1, 'text', ARGV[4])
if ARGV[6] == '' then
  redis.call('ZREM', key('books'), account)
else
  redis.call('ZADD', key('books'), ARGV[6], account)
end
if ARGV[8] ~= '' then
  put_away(ARGV[8], ARGV[9])
end
local letters = 11 + tonumber(ARGV[10])
for reference = 11, letters - 1 do
  redis.call('HSETNX', key('payers'), ARGV[reference], account)
end
for letter = letters, #ARGV, 2 do
  queue(ARGV[letter], account, ARGV[letter + 1], at, at)
end
if plan == '' then
  return { false }
end
redis.call('HSET', key('account:' .. account), 'plan', plan)
return { announce('account', account) }
