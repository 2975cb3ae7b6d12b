-- Makes a channel that is or will be due fall due at `at`.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel at
local channel, at = ARGV[1], ARGV[2]
allow_when_full()
return redis.call('ZADD', READY, 'XX', at, channel)
