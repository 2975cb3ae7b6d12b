-- A replica is gone: what it held is free again, and whatever it still says about it is refused.
--
-- KEYS  1 ready
-- ARGV  base  owner  now
-- Returns the channels of sockets that it held
local ready = KEYS[1]
local base, owner, now = ARGV[1], ARGV[2], tonumber(ARGV[3])
local sockets = {}
though_full(base)
for _, channel in ipairs(redis.call('SMEMBERS', base .. 'held:' .. owner)) do
  local key = channel_keys(base, channel)
  local state = load(key, 'owner', 'kind', 'n', 'stopped', 'sentTo')
  if state.owner == owner then
    redis.call('HSET', key, 'owner', '', 'conn', '', 'token', '', 'lastSeen', now, 'repeatTo', state.sentTo)
    if state.kind == 'websocket' then sockets[#sockets + 1] = channel end
    if (tonumber(state.n) or 0) > 0 then make_due(ready, state, channel, now) end
  end
end
redis.call('DEL', base .. 'held:' .. owner, base .. 'ready:' .. owner)
redis.call('SREM', base .. 'owners', owner)
return sockets
