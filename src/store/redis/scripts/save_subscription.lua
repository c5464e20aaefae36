-- Answers false, or a list with the id of the change: with false in it when the plan did not change.
-- ARGV: account, expected version, text, plan or '', when it is due or '', now, webhook event to finish or '',
-- milliseconds to remember that for, how many references, those, how many to drop, those, then ids and kinds of mails.

local account, plan, at = ARGV[2], ARGV[5], ARGV[7]
local record = key('books:' .. account)
local version = tonumber(redis.call('HGET', record, 'version') or 0)
if version ~= tonumber(ARGV[3]) or redis.call('EXISTS', key('account:' .. account)) == 0 then
  return false
end
redis.call('HSET', record, 'version', version + 1, 'text', ARGV[4])
if ARGV[6] == '' then
  redis.call('ZREM', key('books'), account)
else
  redis.call('ZADD', key('books'), ARGV[6], account)
end
if ARGV[8] ~= '' then
  finish_event(ARGV[8], ARGV[9])
end
local dropped = 11 + tonumber(ARGV[10])
for reference = 11, dropped - 1 do
  redis.call('HSETNX', key('payers'), ARGV[reference], account)
  -- so that it is found by the account: see rows.lua
  redis.call('HSET', record, 'payer:' .. ARGV[reference], '')
end
local mails = dropped + 1 + tonumber(ARGV[dropped])
for reference = dropped + 1, mails - 1 do
  if redis.call('HGET', key('payers'), ARGV[reference]) == account then
    redis.call('HDEL', key('payers'), ARGV[reference])
  end
  redis.call('HDEL', record, 'payer:' .. ARGV[reference])
end
for mail = mails, #ARGV, 2 do
  queue_mail(ARGV[mail], account, ARGV[mail + 1], at, at)
end
if plan == '' then
  return { false }
end
redis.call('HSET', key('account:' .. account), 'plan', plan)
return { announce('account', account) }
