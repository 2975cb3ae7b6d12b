-- Increments the number by which a replica shows that it is alive, even when Redis is full: the first write takes no
-- memory, and Redis refuses none of the later ones (`allow_when_full`).
--
-- KEYS  1 replicas (hash: replica -> heartbeats)
-- ARGV  owner
redis.call('HDEL', KEYS[1], '')
return redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
