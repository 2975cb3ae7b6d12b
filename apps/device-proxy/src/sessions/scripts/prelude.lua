-- Prepended to other scripts: the last epoch of a device, and what happens to a device whose address now belongs to another one.

-- An epoch never decreases, not even when this Redis starts empty: the first epoch is the current time in seconds. An open
-- session has its own epoch; the last epoch of an ended session is kept until the current time is certainly above it.
local seconds = tonumber(redis.call('TIME')[1])
local epochKeptSeconds = 86400

local function nextEpoch(prefix, session, device)
  local last = redis.call('HGET', session, 'epoch') or redis.call('GET', prefix .. 'epoch:' .. device) or '0'
  return math.max(tonumber(last) + 1, seconds)
end

local function keepEpoch(prefix, device, epoch)
  local ahead = math.max(0, tonumber(epoch) - seconds)
  redis.call('SET', prefix .. 'epoch:' .. device, epoch, 'EX', ahead + epochKeptSeconds)
end

-- Another device registers from the address of this one, or moves there: messages sent there would reach the wrong device.
-- The session of the previous device stays, with an epoch that no replica has: nothing is sent to that device until it
-- registers or updates its registration. Returns the device, its new epoch and the replica that had it, or three times ''.
local function displace(prefix, index, account, address, device)
  local other = redis.call('HGET', index, 'a:' .. account .. '|' .. address)
  if not other or other == device then return '', '', '' end
  local session = prefix .. 'session:' .. other
  local s = redis.call('HMGET', session, 'state', 'account', 'address', 'owner')
  if s[1] ~= 'open' or s[2] ~= account or s[3] ~= address then return '', '', '' end
  local epoch = nextEpoch(prefix, session, other)
  redis.call('HSET', session, 'epoch', epoch, 'owner', '')
  redis.call('SREM', prefix .. 'owned:' .. s[4], other)
  return other, epoch, s[4]
end

-- The gateway that a device is behind, by the address of its session; nil for any other device.
local function gatewayOf(address)
  return string.match(address or '', '^via://([^/]+)/')
end

-- A session behind a gateway is opened and taken over only by the replica that has the gateway's session, and ends with
-- that session. The `behind:` set has the devices behind a gateway that have a session.
local function isWithGateway(prefix, gateway, replica)
  local s = redis.call('HMGET', prefix .. 'session:' .. gateway, 'state', 'owner')
  return s[1] == 'open' and s[2] == replica
end

local function sessionsBehind(prefix, gateway)
  return redis.call('SCARD', prefix .. 'behind:' .. gateway)
end

local function leaveGateway(prefix, device, address)
  local gateway = gatewayOf(address)
  if gateway then redis.call('SREM', prefix .. 'behind:' .. gateway, device) end
end
