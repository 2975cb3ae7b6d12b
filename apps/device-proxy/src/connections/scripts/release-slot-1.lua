-- Ends the lease of a slot: its connections can be taken over at once.
--
-- KEYS  1 slots
-- ARGV  1 token of the replica  2 slot
local held = redis.call('HGET', KEYS[1], ARGV[2])
if held and string.match(held, '^%d+ (%S+) ') == ARGV[1] then redis.call('HDEL', KEYS[1], ARGV[2]) end
