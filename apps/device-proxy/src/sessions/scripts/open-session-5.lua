-- A full registration: replaces whatever session the device had, and every observation of it.
-- The epoch is the fencing token: it never falls, not even when this Redis starts empty (first epoch = seconds now).
--
-- KEYS  1 session hash of the device  2 its observations  3 index  4 expiry  5 epochs
-- ARGV  1 prefix  2 device  3 replica  4 now ms  5 expires at ms  6 registration id  7 account  8 address  9 data
-- Returns { epoch, replica of the replaced session or '' }.
local session, observations, index, expiry, epochs = unpack(KEYS)
local prefix, device, replica, now, expires, registration, account, address, data = unpack(ARGV)

local old = redis.call('HMGET', session, 'registration', 'account', 'address', 'owner')
if old[1] then
  redis.call('HDEL', index, 'r:' .. old[1])
  local peer = 'a:' .. old[2] .. '|' .. old[3]
  if redis.call('HGET', index, peer) == device then redis.call('HDEL', index, peer) end
  redis.call('SREM', prefix .. 'owned:' .. old[4], device)
end
for _, observation in ipairs(redis.call('HVALS', observations)) do
  redis.call('HDEL', index, 't:' .. cjson.decode(observation).token)
end
redis.call('DEL', session, observations)

local last = tonumber(redis.call('HGET', epochs, device) or '0')
local epoch = math.max(last + 1, tonumber(redis.call('TIME')[1]))
redis.call('HSET', epochs, device, epoch)
redis.call('HSET', session, 'epoch', epoch, 'owner', replica, 'state', 'open', 'registration', registration,
  'account', account, 'address', address, 'heard', now, 'expires', expires, 'data', data)
redis.call('HSET', index, 'r:' .. registration, device, 'a:' .. account .. '|' .. address, device)
redis.call('ZADD', expiry, expires, device)
redis.call('SADD', prefix .. 'owned:' .. replica, device)
redis.call('SADD', prefix .. 'account:' .. account, device)
return { epoch, old[4] or '' }
