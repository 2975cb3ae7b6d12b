-- The connection that carried a poll's answer broke: what it carried is delivered again.
--
-- KEYS  of the shard, of the channel
-- ARGV  pending
local key = channel_keys(1)
if redis.call('HGET', key, 'pending') ~= ARGV[1] then return 0 end
allow_when_full()
redis.call('HSET', key, 'pending', '')
return 1
