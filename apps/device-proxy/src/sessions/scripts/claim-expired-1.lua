-- Claims sessions whose lifetime is over, or whose end was claimed by a replica that died. From here on the session is
-- expiring: no message of the device revives it, and a new registration replaces it. The claim lasts until the lease is
-- over; then another replica announces the end again, with the time of the first claim.
--
-- KEYS  1 expiry
-- ARGV  1 prefix  2 now ms  3 lease until ms  4 how many
-- Returns a list of { device, epoch, registration, account, address, heard, expires, data, owner, why it ends or '', when it
-- ended }.
local expiry = KEYS[1]
local prefix, now, lease, limit = unpack(ARGV)

-- A device behind a gateway stays as long as the gateway's registration under which it came: when its own time comes, its
-- expiry is set to that of the gateway.
local function extended(device, session)
  local own = redis.call('HMGET', session, 'address', 'state', 'under')
  local gateway = gatewayOf(own[1])
  if not gateway or own[2] ~= 'open' then return false end
  local s = redis.call('HMGET', prefix .. 'session:' .. gateway, 'state', 'expires', 'registration')
  if s[1] ~= 'open' or s[3] ~= own[3] or tonumber(s[2]) <= tonumber(now) then return false end
  redis.call('HSET', session, 'expires', s[2])
  redis.call('ZADD', expiry, s[2], device)
  return true
end

local claimed = {}
for _, device in ipairs(redis.call('ZRANGEBYSCORE', expiry, '-inf', now, 'LIMIT', 0, limit)) do
  local session = prefix .. 'session:' .. device
  local s = redis.call('HMGET', session, 'epoch', 'registration', 'account', 'address', 'heard', 'expires', 'data', 'owner',
    'ending', 'ended')
  if s[1] and extended(device, session) then
    -- It is not due yet.
  elseif s[1] then
    local ended = s[10] or now
    redis.call('HSET', session, 'state', 'expiring', 'ended', ended)
    redis.call('ZADD', expiry, lease, device)
    claimed[#claimed + 1] = { device, s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9] or '', ended }
  else
    redis.call('ZREM', expiry, device)
  end
end
return claimed
