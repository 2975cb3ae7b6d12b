-- Is a callback still to be sent by whoever claimed it, to where it went when it was claimed?
--
-- KEYS  1 the channel
-- ARGV  base channel token  revision that the holder knows
local base, channel, token, known = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local state = load(channel_keys(base, channel), 'token', 'rev', 'stopped')
return state.token == token and state.rev == known and state.stopped == '' and 1 or 0
