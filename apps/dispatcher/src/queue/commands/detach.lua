-- The holder releases the channel: a socket closed, a poll ended, or a callback was released without a known result.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel token  now  sent: the event up to which a poll's answer was written, or a callback's request, which
--       may have arrived; or ''
-- Returns 1, or 0 when the token is no longer the channel's
local channel, token, now, sent = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local key = channel_keys(1)

local state = load(key, 'token', 'owner', 'kind', 'n', 'stopped')
if token == '' or state.token ~= token then return 0 end
allow_when_full()
release(key, channel, state.owner)
if state.kind ~= 'callback' then
  redis.call('HDEL', key, 'address')
  redis.call('HSET', key, 'lastSeen', now, 'pending', sent)
elseif sent ~= '' then
  redis.call('HSET', key, 'repeatTo', sent)
end
if (tonumber(state.n) or 0) > 0 then make_due(state, channel, now) end
return 1
