-- Writes what one run of a server counted on a day. ARGV: the day, the run, when to forget the day, how many questions of
-- a day stay, then question, callers and times of each.

local name = key('asked:' .. ARGV[2])
for at = 6, #ARGV, 3 do
  redis.call('HSET', name, ARGV[3] .. ':' .. ARGV[at], ARGV[at + 1] .. ':' .. ARGV[at + 2])
end
redis.call('PEXPIREAT', name, ARGV[4])

local max = tonumber(ARGV[5])
if redis.call('HLEN', name) > max then
  local sums, fields, questions = {}, {}, {}
  local flat = redis.call('HGETALL', name)
  for at = 1, #flat, 2 do
    local question = string.match(flat[at], '^[^:]*:(.*)$')
    if not sums[question] then
      sums[question], fields[question] = 0, {}
      questions[#questions + 1] = question
    end
    sums[question] = sums[question] + tonumber(string.match(flat[at + 1], ':(%d+)$'))
    table.insert(fields[question], flat[at])
  end
  table.sort(questions, function(one, other)
    if sums[one] ~= sums[other] then
      return sums[one] > sums[other]
    end
    return one < other
  end)
  for at = max + 1, #questions do
    redis.call('HDEL', name, unpack(fields[questions[at]]))
  end
end
return true
