-- Ends a session if it is still the caller's: deletes the session, its observations and all of its index entries.
--
-- KEYS  1 session hash of the device  2 its observations  3 index  4 expiry
-- ARGV  1 prefix  2 device  3 epoch
-- Returns 1, or 0 when the session is gone or has a later epoch.
local session, observations, index, expiry = unpack(KEYS)
local prefix, device, epoch = unpack(ARGV)

local s = redis.call('HMGET', session, 'epoch', 'registration', 'account', 'address', 'owner')
if s[1] ~= epoch then return 0 end
redis.call('HDEL', index, 'r:' .. s[2])
local peer = 'a:' .. s[3] .. '|' .. s[4]
if redis.call('HGET', index, peer) == device then redis.call('HDEL', index, peer) end
for _, observation in ipairs(redis.call('HVALS', observations)) do
  redis.call('HDEL', index, 't:' .. cjson.decode(observation).token)
end
redis.call('DEL', session, observations)
keepEpoch(prefix, device, epoch)
redis.call('ZREM', expiry, device)
redis.call('SREM', prefix .. 'owned:' .. s[5], device)
redis.call('SREM', prefix .. 'account:' .. s[3], device)
leaveGateway(prefix, device, s[4])
return 1
