-- A replica is gone: frees the channels that it held; commands that it still sends for them are refused.
--
-- KEYS  of the shard, of each channel
-- ARGV  owner  now  channel...: those that HELD names for it
-- Returns the channels of sockets that it held
local owner, now = ARGV[1], tonumber(ARGV[2])
local sockets = {}
allow_when_full()
for n = 1, #ARGV - 2 do
  local channel, key = ARGV[2 + n], channel_keys(n)
  local state = load(key, 'owner', 'kind', 'n', 'stopped', 'sentTo')
  if state.owner == owner then
    redis.call('HSET', key, 'owner', '', 'conn', '', 'token', '', 'lastSeen', now, 'repeatTo', state.sentTo)
    redis.call('HDEL', key, 'address')
    if state.kind == 'websocket' then sockets[#sockets + 1] = channel end
    if (tonumber(state.n) or 0) > 0 then make_due(state, channel, now) end
  end
  redis.call('ZREM', HELD, held_as(owner, channel))
  redis.call('ZREM', WOKEN, held_as(owner, channel))
end
-- The replica may have claimed more since HELD was read: then it stays in OWNERS and is found again.
local least, most = held_range(owner)
if #redis.call('ZRANGEBYLEX', HELD, least, most, 'LIMIT', 0, 1) == 0 then redis.call('SREM', OWNERS, owner) end
return sockets
