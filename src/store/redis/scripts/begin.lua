-- Begins anew with a new epoch, which takes the place of the one that was known and of any that is there; false
-- when there is no need to. ARGV: the epoch that is known or '', a new one.

local epoch = redis.call('GET', KEYS[1])
if epoch and (ARGV[1] == '' or epoch == ARGV[1]) then
  return { false, epoch }
end
for _, replaced in ipairs({ ARGV[1], epoch or '' }) do
  if replaced ~= '' then
    redis.call('SADD', '{candango}:replaced', replaced)
  end
end
redis.call('SET', KEYS[1], ARGV[2])
return { true, ARGV[2] }
