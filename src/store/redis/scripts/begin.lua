-- Starts over with a new epoch, in place of the known one and of any that is there; false when there is no need to.
-- ARGV: the known epoch or '', a new one.

if epoch == ARGV[2] then
  -- a repeated request
  return { true, epoch }
end
if epoch and (ARGV[1] == '' or epoch == ARGV[1]) then
  return { false, epoch }
end
for _, replaced in ipairs({ ARGV[1], epoch or '' }) do
  if replaced ~= '' then
    redis.call('SADD', '{candango}:replaced', replaced)
  end
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('SET', SCHEMA_KEY, SCHEMA)
return { true, ARGV[2] }
