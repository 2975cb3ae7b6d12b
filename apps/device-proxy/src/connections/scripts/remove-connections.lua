-- Removes the states of closed connections, unless a later epoch has them.
--
-- KEYS  hash of each connection
-- ARGV  for each connection the epoch of the caller
for n = 1, #KEYS do
  if redis.call('HGET', KEYS[n], 'epoch') == ARGV[n] then redis.call('DEL', KEYS[n]) end
end
