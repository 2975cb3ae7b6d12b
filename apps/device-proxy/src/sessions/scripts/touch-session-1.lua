-- The device was heard. Written in batches, so an owner that lost the session learns it here at the latest.
--
-- KEYS  1 session hash of the device
-- ARGV  1 epoch of the caller  2 heard at ms
-- Returns 1, or 0 when the session is gone, expiring, or owned by a later epoch.
local s = redis.call('HMGET', KEYS[1], 'state', 'epoch')
if s[1] ~= 'open' or s[2] ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'heard', ARGV[2])
return 1
