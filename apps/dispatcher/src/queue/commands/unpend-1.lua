-- The connection that carried a poll's answer broke: what it carried is delivered again.
--
-- KEYS  1 the channel
-- ARGV  base channel  pending
local key = channel_keys(ARGV[1], ARGV[2])
if redis.call('HGET', key, 'pending') ~= ARGV[3] then return 0 end
though_full(ARGV[1])
redis.call('HSET', key, 'pending', '')
return 1
