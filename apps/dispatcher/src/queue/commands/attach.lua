-- A socket or a poll claims its channel. The newest socket wins; a poll does not take over from another one. The holder
-- may claim it again.
-- What the last poll delivered (`pending`) is confirmed by the next poll, unless its client says that it has another
-- answer. What it may have delivered (`sentTo`) is confirmed only by a client that says so.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel account kind  owner conn token  now  mode: newest | free
--       after: the last answer that the client has, as `born/pending`, or ''
--       address of the client, or ''
-- Returns {'ok', head, skip, previous owner, previous conn, born}  {'missing'}  {'kind', kind}  {'busy'}
local channel, account, kind = ARGV[1], ARGV[2], ARGV[3]
local owner, conn, token, now, mode, after = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local address = string.sub(token, 1, 8) .. ' ' .. ARGV[10]
local key, queue = channel_keys(1)

local state = load(key, 'account', 'kind', 'owner', 'conn', 'pending', 'sentFrom', 'sentTo', 'born', 'orderedTo')
if state.account ~= account then return { 'missing' } end
if state.kind ~= kind then return { 'kind', state.kind } end
if mode == 'free' and state.owner ~= '' and state.conn ~= conn then return { 'busy' } end

allow_when_full()
if state.owner ~= '' then release(key, channel, state.owner) end
local counters = load_counters(key)
-- Nothing is pending after an answer whose replica died, or whose connection broke. It may have arrived all the same.
local last = state.pending ~= '' and state.pending or state.sentTo
local has_arrived = after == '' and state.pending ~= '' or after == state.born .. '/' .. last
if has_arrived then
  local to = tonumber(last) or 0
  -- Otherwise no drop is in doubt: all may have been reported.
  if state.pending ~= '' then undrop(counters, to, tonumber(state.sentFrom) or to) end
  take_away(queue, counters, to, { from = -1 })
  save_counters(key, counters)
end
-- What the last poll may have got, although this one does not say so, comes again as it was.
local sent_to = tonumber(last) or 0
if kind == 'pull' and not has_arrived and sent_to > math.max(counters.head, tonumber(state.orderedTo) or 0) then
  redis.call('HSET', key, 'orderedTo', sent_to)
end
redis.call('HSET', key, 'owner', owner, 'conn', conn, 'token', token, 'address', address,
  'lastSeen', now, 'pending', '', 'sentFrom', counters.head, 'sentTo', counters.head)
hold(channel, owner)
return { 'ok', counters.head, counters.skip, state.owner, state.conn, state.born }
