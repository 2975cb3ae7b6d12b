-- The holder lets go: a socket closed, a poll ended, a callback was given back untried.
--
-- KEYS  1 ready
-- ARGV  base channel token  now  pending: the event up to which a poll's answer was written, or ''
-- Returns 1, or 0 when the token is no longer the channel's
local ready = KEYS[1]
local base, channel, token, now, pending = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local key = channel_keys(base, channel)

local state = load(key, 'token', 'owner', 'kind', 'n', 'stopped')
if token == '' or state.token ~= token then return 0 end
though_full(base)
release(base, key, channel, state.owner)
redis.call('HSET', key, 'lastSeen', now, 'pending', pending)
if (tonumber(state.n) or 0) > 0 then make_due(ready, state, channel, now) end
return 1
