-- Removes the channel and its queue, unless its revision is later.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel  revision up to which it may be removed
local channel = ARGV[1]
local key, queue = channel_keys(1)
local state = load(key, 'owner', 'rev')
if (tonumber(state.rev) or 0) > tonumber(ARGV[2]) then return end
allow_when_full()
if state.owner ~= '' then release(key, channel, state.owner) end
redis.call('DEL', key, queue)
redis.call('ZREM', READY, channel)
redis.call('ZREM', EXPIRY, channel)
redis.call('SREM', DROPPED, channel)
