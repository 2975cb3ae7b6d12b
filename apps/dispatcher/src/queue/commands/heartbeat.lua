-- A replica shows that it lives, even when Redis is full: the first write takes no memory.
--
-- KEYS  1 replicas (hash: replica -> heartbeats)
-- ARGV  owner
redis.call('HDEL', KEYS[1], '')
return redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
