-- Stores observations with the sessions of their devices, so that their notifications are known after a restart and on
-- other replicas, and forgets observations that are over. Many at once, in order: a fleet under rules has several per device.
--
-- KEYS  1 index  then for each observation: session hash of the device, its observations
-- ARGV  for each observation: device that its token leads to (its gateway, where there is one), epoch of the caller, path, token in hex, observation or '' to forget it
-- Returns for each observation 1; or 0 when the session is gone, expiring, or owned by a later epoch (when forgetting: also
-- when the path has another observation); or a text that says what went wrong with this observation alone.
local index = KEYS[1]

local function forget(session, observations, epoch, path, token)
  if redis.call('HGET', session, 'epoch') ~= epoch then return 0 end
  local before = redis.call('HGET', observations, path)
  if not before or cjson.decode(before).token ~= token then return 0 end
  redis.call('HDEL', observations, path)
  redis.call('HDEL', index, 't:' .. token)
  return 1
end

local function note(session, observations, device, epoch, path, token, observation)
  if observation == '' then return forget(session, observations, epoch, path, token) end
  local s = redis.call('HMGET', session, 'state', 'epoch')
  if s[1] ~= 'open' or s[2] ~= epoch then return 0 end
  local before = redis.call('HGET', observations, path)
  if before then redis.call('HDEL', index, 't:' .. cjson.decode(before).token) end
  redis.call('HSET', observations, path, observation)
  redis.call('HSET', index, 't:' .. token, device)
  return 1
end

local results = {}
for n = 1, (#KEYS - 1) / 2 do
  local key, at = 2 * n, 5 * n - 4
  local ok, result = pcall(note, KEYS[key], KEYS[key + 1], unpack(ARGV, at, at + 4))
  results[n] = ok and result or (type(result) == 'table' and result.err or tostring(result))
end
return results
