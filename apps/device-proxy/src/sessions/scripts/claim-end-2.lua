-- The session is about to end: from here on it is expiring, no message of the device revives it, and a new registration
-- replaces it. If the caller dies before it has closed it, its end is announced when the lease is over.
--
-- KEYS  1 session hash of the device  2 expiry
-- ARGV  1 device  2 epoch of the caller  3 lease until ms  4 why it ends
-- Returns 1, or 0 when the session is gone, past its lifetime, or owned by a later epoch.
local session, expiry = KEYS[1], KEYS[2]
local device, epoch, lease, ending = unpack(ARGV)

local s = redis.call('HMGET', session, 'state', 'epoch', 'ending')
if s[2] ~= epoch or (s[1] ~= 'open' and not s[3]) then return 0 end
redis.call('HSET', session, 'state', 'expiring', 'ending', ending)
redis.call('ZADD', expiry, lease, device)
return 1
