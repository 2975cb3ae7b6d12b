-- Forgets an observation, if it is still the one with this token and the session is the caller's.
--
-- KEYS  1 session hash of the device  2 its observations  3 index
-- ARGV  1 epoch of the caller  2 path  3 token in hex
-- Returns 1, or 0 when there was nothing to forget.
local session, observations, index = unpack(KEYS)
local epoch, path, token = unpack(ARGV)

if redis.call('HGET', session, 'epoch') ~= epoch then return 0 end
local before = redis.call('HGET', observations, path)
if not before or cjson.decode(before).token ~= token then return 0 end
redis.call('HDEL', observations, path)
redis.call('HDEL', index, 't:' .. token)
return 1
