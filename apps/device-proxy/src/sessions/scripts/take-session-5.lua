-- This replica takes over an existing session: the device's message arrived here, or this replica restarted.
-- The epoch grows with every take-over, so a replica that still holds a copy of the session cannot write any more.
--
-- KEYS  1 session hash of the device  2 its observations  3 index  4 expiry  5 epochs
-- ARGV  1 prefix  2 device  3 replica  4 registration id that must match, or ''  5 address the device has now, or ''
-- Returns nil (no such session, or it is expiring), or
--   { epoch, replica before, registration, account, address, heard, expires, data, where its
--   observations stood or '', observation values }.
local session, observations, index, expiry, epochs = unpack(KEYS)
local prefix, device, replica, registration, address = unpack(ARGV)

local s = redis.call('HMGET', session, 'state', 'registration', 'owner', 'account', 'address', 'heard', 'expires', 'data',
  'newest')
if s[1] ~= 'open' then return nil end
if registration ~= '' and s[2] ~= registration then return nil end

local epoch = math.max(tonumber(redis.call('HGET', epochs, device) or '0') + 1, tonumber(redis.call('TIME')[1]))
redis.call('HSET', epochs, device, epoch)
redis.call('HSET', session, 'epoch', epoch, 'owner', replica)
if s[3] ~= replica then
  redis.call('SREM', prefix .. 'owned:' .. s[3], device)
  redis.call('SADD', prefix .. 'owned:' .. replica, device)
end
if address ~= '' and address ~= s[5] then
  local before = 'a:' .. s[4] .. '|' .. s[5]
  if redis.call('HGET', index, before) == device then redis.call('HDEL', index, before) end
  redis.call('HSET', index, 'a:' .. s[4] .. '|' .. address, device)
  redis.call('HSET', session, 'address', address)
  s[5] = address
end
return { epoch, s[3], s[2], s[4], s[5], s[6], s[7], s[8], s[9] or '', redis.call('HVALS', observations) }
