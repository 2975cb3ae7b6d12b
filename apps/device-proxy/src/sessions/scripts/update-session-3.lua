-- A registration update: new data, address and expiry, if the caller still owns the session.
--
-- KEYS  1 session hash of the device  2 index  3 expiry
-- ARGV  1 prefix  2 device  3 epoch of the caller  4 address  5 now ms  6 expires at ms  7 data
--       8 1 when the address is to be this device's even if another device has it, otherwise 0
-- Returns nil when the session is gone, expiring, or owned by a later epoch; { 0 } when another device has the address;
-- or { 1, device that had the address or '', its epoch, its replica }.
local session, index, expiry = KEYS[1], KEYS[2], KEYS[3]
local prefix, device, epoch, address, now, expires, data, claim = unpack(ARGV)

local s = redis.call('HMGET', session, 'state', 'epoch', 'account', 'address')
if s[1] ~= 'open' or s[2] ~= epoch then return nil end
local peer = 'a:' .. s[3] .. '|' .. address
if claim ~= '1' and (redis.call('HGET', index, peer) or device) ~= device then return { 0 } end
if s[4] ~= address then
  local before = 'a:' .. s[3] .. '|' .. s[4]
  if redis.call('HGET', index, before) == device then redis.call('HDEL', index, before) end
end
local other, otherEpoch, otherReplica = displace(prefix, index, s[3], address, device)
redis.call('HSET', index, peer, device)
redis.call('HSET', session, 'address', address, 'heard', now, 'expires', expires, 'data', data)
redis.call('ZADD', expiry, expires, device)
return { 1, other, otherEpoch, otherReplica }
