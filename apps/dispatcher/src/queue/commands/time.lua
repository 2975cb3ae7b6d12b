-- The time of the node that has this key: every replica asks this node.
--
-- KEYS  1 number of shards
-- Returns {seconds, microseconds}
return redis.call('TIME')
