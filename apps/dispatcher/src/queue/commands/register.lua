-- Creates the channel, or gives the existing one another configuration. Queued events stay (same kind). An older revision
-- than the stored one changes nothing, so that a repair may run beside registrations.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel revision account kind render max tier target created now  dropped: by size, by age, after
--       failures: the drops reported, for a channel that Redis has lost  1: keep its failures
--       why it is stopped, since when: '' when it is not
-- Returns 'created', 'updated' or 'kept'
local channel, rev, account, kind = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local render, max, tier, target, created, now = ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], tonumber(ARGV[10])
local stopped, stopped_at = ARGV[15], ARGV[16]
local key, queue = channel_keys(1)

local state = load(key, 'rev', 'kind', 'owner', 'head', 'n', 'created', 'stopped', 'born', 'render', 'account')
-- A closed channel that PostgreSQL has, because it failed over without the commit that removed the channel, is opened again.
local is_closed = state.rev ~= '' and state.account == ''
local is_known = state.rev ~= '' and tonumber(state.rev) >= tonumber(rev)
if is_known and not (is_closed and state.rev == rev) then return 'kept' end
if state.rev ~= '' and state.kind == kind and state.created == created then
  if is_closed then redis.call('HSET', key, 'account', account, 'endedAccount', '', 'endedAt', '', 'lastSeen', now) end
  redis.call('HSET', key, 'rev', rev, 'render', render, 'max', max, 'target', target,
    'stopped', stopped, 'stoppedAt', stopped_at, 'born', state.born ~= '' and state.born or rev .. '@' .. ARGV[10])
  -- With another rendering, a device may have another name: queued events are not mixed with new ones.
  if state.render ~= render then
    redis.call('HSET', key, 'orderedTo', (tonumber(state.head) or 0) + (tonumber(state.n) or 0))
  end
  if stopped ~= '' then redis.call('ZREM', READY, channel) end
  if ARGV[14] == '1' and stopped == state.stopped and not is_closed then return 'updated' end
  redis.call('HSET', key, 'attempt', 0, 'failSince', '')
  if state.owner == '' and (tonumber(state.n) or 0) > 0 then
    make_due({ kind = kind, stopped = stopped }, channel, now)
  end
  return 'updated'
end
local lost = 0
if state.rev ~= '' then
  if state.owner ~= '' then release(key, channel, state.owner) end
  redis.call('DEL', key, queue)
  redis.call('ZREM', READY, channel)
elseif redis.call('EXISTS', key, queue) > 0 then
  -- The hash was deleted or replaced by hand, and with it the counters of the list: what it holds counts as dropped by size.
  local chunk = redis.call('TYPE', queue).ok == 'list' and redis.call('LPOP', queue)
  while chunk do
    local _, count = chunk_head(chunk)
    lost, chunk = lost + count, redis.call('LPOP', queue)
  end
  redis.call('DEL', key, queue)
end
redis.call('HSET', key, 'rev', rev, 'account', account, 'kind', kind, 'render', render, 'max', max, 'tier', tier,
  'target', target, 'created', created, 'born', rev .. '@' .. ARGV[10], 'owner', '', 'conn', '', 'token', '', 'lastIn', now, 'lastSeen', now,
  'stopped', stopped, 'stoppedAt', stopped_at,
  'droppedSize', ARGV[11] + lost, 'droppedAge', ARGV[12], 'droppedFailed', ARGV[13])
if lost > 0 then redis.call('SADD', DROPPED, channel) end
redis.call('ZADD', EXPIRY, now, channel)
return 'created'
