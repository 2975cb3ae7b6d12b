-- A replica whose lease may have ended asks which connections it still has; it is the owner of those from here on.
--
-- KEYS  hash of each connection
-- ARGV  1 owner  then for each connection the epoch of the caller
-- Returns for each connection 1, 0 when a later epoch has it, or 2 when Redis does not have it.
local results = {}
for n = 1, #KEYS do
  local epoch = redis.call('HGET', KEYS[n], 'epoch')
  if not epoch then
    results[n] = 2
  elseif epoch == ARGV[n + 1] then
    redis.call('HSET', KEYS[n], 'owner', ARGV[1])
    results[n] = 1
  else
    results[n] = 0
  end
end
return results
