-- Full registrations, of many devices at once: each replaces whatever session its device had, and every observation of it.
-- The epoch is the fencing token.
--
-- KEYS  1 index  2 expiry  then for each device: its session hash, its observations
-- ARGV  1 prefix  2 replica  then for each device: its id, now ms, expires at ms, registration id, account, address, data
-- Returns for each device { epoch, replica of the replaced session or '', device that had the address or '', its epoch,
-- its replica, how many devices behind it have sessions }, or { 0, what went wrong }: only this device failed, and the
-- others have their sessions.
local index, expiry = KEYS[1], KEYS[2]
local prefix, replica = ARGV[1], ARGV[2]

local function forget(session, observations, device)
  local old = redis.call('HMGET', session, 'registration', 'account', 'address', 'owner')
  if old[1] then
    redis.call('HDEL', index, 'r:' .. old[1])
    local peer = 'a:' .. old[2] .. '|' .. old[3]
    if redis.call('HGET', index, peer) == device then redis.call('HDEL', index, peer) end
    redis.call('SREM', prefix .. 'owned:' .. old[4], device)
    leaveGateway(prefix, device, old[3])
  end
  for _, observation in ipairs(redis.call('HVALS', observations)) do
    redis.call('HDEL', index, 't:' .. cjson.decode(observation).token)
  end
  redis.call('DEL', session, observations)
  return old[4] or ''
end

local function open(session, observations, device, now, expires, registration, account, address, data)
  local gateway = gatewayOf(address)
  if gateway and not isWithGateway(prefix, gateway, replica) then return { 0, 'its gateway has no session here' } end
  local epoch = nextEpoch(prefix, session, device)
  local before = forget(session, observations, device)
  local other, otherEpoch, otherReplica = displace(prefix, index, account, address, device)
  redis.call('HSET', session, 'epoch', epoch, 'owner', replica, 'state', 'open', 'registration', registration,
    'account', account, 'address', address, 'heard', now, 'expires', expires, 'data', data)
  redis.call('HSET', index, 'r:' .. registration, device, 'a:' .. account .. '|' .. address, device)
  redis.call('ZADD', expiry, expires, device)
  redis.call('SADD', prefix .. 'owned:' .. replica, device)
  redis.call('SADD', prefix .. 'account:' .. account, device)
  if gateway then
    redis.call('SADD', prefix .. 'behind:' .. gateway, device)
    redis.call('HSET', session, 'under', redis.call('HGET', prefix .. 'session:' .. gateway, 'registration'))
  end
  return { epoch, before, other, otherEpoch, otherReplica, sessionsBehind(prefix, device) }
end

local results = {}
for n = 1, (#KEYS - 2) / 2 do
  local key, at = 1 + 2 * n, 7 * n - 4
  local ok, result = pcall(open, KEYS[key], KEYS[key + 1], unpack(ARGV, at, at + 6))
  if ok then
    results[n] = result
  else
    results[n] = { 0, type(result) == 'table' and result.err or tostring(result) }
  end
end
return results
