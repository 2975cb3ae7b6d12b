-- Claims the end of a session: from here on the session is expiring, no message of the device revives it, and a new
-- registration replaces it. If the caller dies before it closes the session, another replica announces the end when the
-- lease is over, with the time of the first claim: if the end was already announced, it is the same fact again.
--
-- KEYS  1 session hash of the device  2 expiry
-- ARGV  1 device  2 epoch of the caller  3 lease until ms  4 why it ends
--       5 when it ends, in ms, or '': the end is not announced before the lease is over
-- Returns when the session ended, or ''; nil when the session is gone, past its lifetime, or owned by a later epoch.
local session, expiry = KEYS[1], KEYS[2]
local device, epoch, lease, ending, at = unpack(ARGV)

local s = redis.call('HMGET', session, 'state', 'epoch', 'ending')
if s[2] ~= epoch or (s[1] ~= 'open' and not s[3]) then return nil end
redis.call('HSET', session, 'state', 'expiring', 'ending', ending)
if at ~= '' then redis.call('HSETNX', session, 'ended', at) end
redis.call('ZADD', expiry, lease, device)
return redis.call('HGET', session, 'ended') or ''
