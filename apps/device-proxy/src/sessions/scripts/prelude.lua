-- For the scripts below it: the last epoch of a device, and what happens to a device whose address another one has now.

-- An epoch never falls, not even when this Redis starts empty: the first one is the seconds now. An open session has its
-- own; of one that ended the last epoch is kept until the seconds now are above it in any case.
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

-- Another device registers from the address of this one, or moves there: what is sent there would reach the wrong one.
-- The session of the one before stays, with an epoch that no replica has: nothing is sent to that device until it
-- registers or updates its registration. Returns it, its new epoch and the replica that had it, or three times ''.
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

-- A session behind a gateway is opened and taken over only where the gateway's session is, and ends with it: the set has
-- the devices behind a gateway that have a session.
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
