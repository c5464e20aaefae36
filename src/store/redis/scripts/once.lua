-- Ends a script whose second run would answer otherwise: one that is run again, since its answer was lost, answers as the
-- first time. KEYS[2] is the name of the request.

local known = redis.call('GET', KEYS[2])
if known then
  return cjson.decode(known).answer
end
local answer = run()
-- a refusal may be that of another Redis, in which nothing is written
if type(answer) ~= 'table' or not answer.err then
  redis.call('SET', KEYS[2], cjson.encode({ answer = answer }), 'PX', 60000)
end
return answer
