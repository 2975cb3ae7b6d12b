-- The channel and its queue are gone.
--
-- KEYS  1 ready  2 expiry
-- ARGV  base channel  revision up to which it may be removed
-- Returns {} when it is a later one, else {account, owner, conn}: whose it was, and who held it. Closed before (close-1), it is held by nobody.
local base, channel = ARGV[1], ARGV[2]
local key, queue = channel_keys(base, channel)
local state = load(key, 'account', 'owner', 'conn', 'endedAccount', 'rev')
if (tonumber(state.rev) or 0) > tonumber(ARGV[3]) then return {} end
though_full(base)
if state.owner ~= '' then release(base, key, channel, state.owner) end
redis.call('DEL', key, queue)
redis.call('ZREM', KEYS[1], channel)
redis.call('ZREM', KEYS[2], channel)
redis.call('SREM', base .. 'dropped', channel)
return { state.endedAccount ~= '' and state.endedAccount or state.account, state.owner, state.conn }
