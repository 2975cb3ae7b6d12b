-- Stores an observation with the session, so that its notifications are known after a restart and elsewhere.
--
-- KEYS  1 session hash of the device  2 its observations  3 index
-- ARGV  1 device  2 epoch of the caller  3 path  4 token in hex  5 observation
-- Returns 1, or 0 when the session is gone, expiring, or owned by a later epoch.
local session, observations, index = unpack(KEYS)
local device, epoch, path, token, observation = unpack(ARGV)

local s = redis.call('HMGET', session, 'state', 'epoch')
if s[1] ~= 'open' or s[2] ~= epoch then return 0 end
local before = redis.call('HGET', observations, path)
if before then redis.call('HDEL', index, 't:' .. cjson.decode(before).token) end
redis.call('HSET', observations, path, observation)
redis.call('HSET', index, 't:' .. token, device)
return 1
