-- Releases connections that a replica has taken over but has no room for, or whose states it cannot read: any replica may take
-- them over, unless a later epoch has them.
--
-- KEYS  hash of each connection
-- ARGV  for each connection the epoch of the caller
for n = 1, #KEYS do
  if redis.call('HGET', KEYS[n], 'epoch') == ARGV[n] then redis.call('HSET', KEYS[n], 'owner', '-') end
end
