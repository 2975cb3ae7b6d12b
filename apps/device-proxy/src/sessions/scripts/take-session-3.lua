-- This replica takes over an existing session: the device's message arrived here, or this replica restarted.
-- The epoch grows with every take-over, so a replica that still holds a copy of the session can no longer write.
--
-- KEYS  1 session hash of the device  2 its observations  3 index
-- ARGV  1 prefix  2 device  3 replica  4 registration id that must match, or ''  5 address the device has now, or ''
--       6 1 when the address is to be this device's even if another device has it, otherwise 0
--       7 the gateway that takes along the devices behind it, or '': a session behind a gateway is not taken over without it
-- Returns nil (no such session, or it is expiring), or
--   { epoch, replica before, registration, account, address, heard, expires, data, last stored position of its
--   observations or '', observation values, 1 when another device has the address, address before, device that had
--   the address or '', its epoch, its replica, how many devices behind it have sessions }.
local session, observations, index = unpack(KEYS)
local prefix, device, replica, registration, address, claim, along = unpack(ARGV)

local s = redis.call('HMGET', session, 'state', 'registration', 'owner', 'account', 'address', 'heard', 'expires', 'data',
  'newest')
if s[1] ~= 'open' then return nil end
if registration ~= '' and s[2] ~= registration then return nil end
if (gatewayOf(s[5]) or '') ~= along then return nil end
if along ~= '' and not isWithGateway(prefix, along, replica) then return nil end

local epoch = nextEpoch(prefix, session, device)
redis.call('HSET', session, 'epoch', epoch, 'owner', replica)
if s[3] ~= replica then
  redis.call('SREM', prefix .. 'owned:' .. s[3], device)
  redis.call('SADD', prefix .. 'owned:' .. replica, device)
end
local other, otherEpoch, otherReplica = '', '', ''
local addressBefore = s[5]
local function holder(at) return redis.call('HGET', index, 'a:' .. s[4] .. '|' .. at) or device end
if address ~= '' and (claim == '1' or holder(address) == device) then
  if s[5] ~= address and holder(s[5]) == device then redis.call('HDEL', index, 'a:' .. s[4] .. '|' .. s[5]) end
  other, otherEpoch, otherReplica = displace(prefix, index, s[4], address, device)
  redis.call('HSET', index, 'a:' .. s[4] .. '|' .. address, device)
  redis.call('HSET', session, 'address', address)
  s[5] = address
end
local elsewhere = holder(s[5]) == device and 0 or 1
return { epoch, s[3], s[2], s[4], s[5], s[6], s[7], s[8], s[9] or '', redis.call('HVALS', observations), elsewhere,
  addressBefore, other, otherEpoch, otherReplica, sessionsBehind(prefix, device) }
