-- Stores the states of connections, many at once. A state that Redis has lost is stored again.
--
-- KEYS  hash of each connection
-- ARGV  1 owner  then for each connection: epoch of the caller, sealed state, how long to keep it in ms, 1 when it is new
-- Returns for each connection 1, or 0 when a later epoch has it, or when it is new and its id is in use.
local owner = ARGV[1]

local results = {}
for n = 1, #KEYS do
  local epoch, state, kept, isNew = unpack(ARGV, 4 * n - 2, 4 * n + 1)
  local before = redis.call('HMGET', KEYS[n], 'epoch', 'owner')
  -- A new connection that this replica has already stored is not refused: the reply was lost.
  if before[1] and (before[1] ~= epoch or (isNew == '1' and before[2] ~= owner)) then
    results[n] = 0
  else
    redis.call('HSET', KEYS[n], 'epoch', epoch, 'owner', owner, 'state', state)
    redis.call('PEXPIRE', KEYS[n], kept)
    results[n] = 1
  end
end
return results
