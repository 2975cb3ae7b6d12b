-- A registration update: new data, address and expiry, if the caller still owns the session.
--
-- KEYS  1 session hash of the device  2 index  3 expiry
-- ARGV  1 device  2 epoch of the caller  3 address  4 now ms  5 expires at ms  6 data
-- Returns 1, or 0 when the session is gone, expiring, or owned by a later epoch.
local session, index, expiry = KEYS[1], KEYS[2], KEYS[3]
local device, epoch, address, now, expires, data = unpack(ARGV)

local s = redis.call('HMGET', session, 'state', 'epoch', 'account', 'address')
if s[1] ~= 'open' or s[2] ~= epoch then return 0 end
if s[4] ~= address then
  local before = 'a:' .. s[3] .. '|' .. s[4]
  if redis.call('HGET', index, before) == device then redis.call('HDEL', index, before) end
end
redis.call('HSET', index, 'a:' .. s[3] .. '|' .. address, device)
redis.call('HSET', session, 'address', address, 'heard', now, 'expires', expires, 'data', data)
redis.call('ZADD', expiry, expires, device)
return 1
