-- A due channel is not due before `at`.
--
-- KEYS  1 ready
-- ARGV  base channel at
local base, channel, at = ARGV[1], ARGV[2], ARGV[3]
though_full(base)
return redis.call('ZADD', KEYS[1], 'XX', at, channel)
