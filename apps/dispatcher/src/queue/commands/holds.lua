-- Whether the replica that claimed a callback may still send to it, with the same target.
--
-- KEYS  of the shard, of the channel
-- ARGV  token  revision that the holder knows
local token, known = ARGV[1], ARGV[2]
local key = channel_keys(1)
local state = load(key, 'token', 'rev', 'stopped')
return state.token == token and state.rev == known and state.stopped == '' and 1 or 0
