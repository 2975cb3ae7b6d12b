-- The channel has ended: it accepts no more events and delivers none, so that what it loses can be counted. May be
-- repeated, and gives the same answer until the channel is removed. Events on their way did not arrive in time.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel now  revision up to which it may be closed
-- Returns {} when there is no such channel, or its revision is later, else
--   {account, kind, created, closed at, events left, dropped by size, by age, after failures, owner, conn}
local channel, now = ARGV[1], ARGV[2]
local key = channel_keys(1)
local state = load(key, 'account', 'kind', 'created', 'owner', 'conn', 'endedAccount', 'endedAt', 'rev')
if state.kind == '' or tonumber(state.rev) > tonumber(ARGV[3]) then return {} end
if state.endedAccount == '' then
  allow_when_full()
  if state.owner ~= '' then release(key, channel, state.owner) end
  state.endedAccount, state.endedAt = state.account, now
  redis.call('HSET', key, 'account', '', 'endedAccount', state.account, 'endedAt', now, 'pending', '')
  redis.call('ZREM', READY, channel)
end
local s = load_counters(key)
return { state.endedAccount, state.kind, state.created, state.endedAt, s.n, s.droppedSize, s.droppedAge,
  s.droppedFailed, state.owner, state.conn }
