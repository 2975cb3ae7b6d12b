-- The time of the node that has this key, which every replica asks.
--
-- KEYS  1 number of shards
-- Returns {seconds, microseconds}
return redis.call('TIME')
