-- Claims a due callback channel for one replica, and reads its first batch.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel  owner token  now  oldest time an event may have  bytes max  revision of the target that it knows
--       born from to: events that the replica has itself, or three times ''
-- Returns {'ok', attempt, max, revision, target or '', head, skip, waiting, chunk...}; no chunks: it has them itself;
--           waiting: events that may be put into another order
--         {'none'}  not due, not existing, held by another, stopped, or empty
local channel, owner, token = ARGV[1], ARGV[2], ARGV[3]
local now, oldest, bytes_max, known = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local key, queue = channel_keys(1)

local due = tonumber(redis.call('ZSCORE', READY, channel))
if not due or due > now then return { 'none' } end
local state = load(key, 'kind', 'owner', 'attempt', 'max', 'rev', 'target', 'stopped', 'born', 'repeatTo', 'orderedTo')
if state.kind ~= 'callback' or state.owner ~= '' or state.stopped ~= '' then
  redis.call('ZREM', READY, channel)
  return { 'none' }
end
local counters = load_counters(key)
if drop_aged(queue, counters, oldest) > 0 then save_counters(key, counters) end
redis.call('ZREM', READY, channel)
if counters.n == 0 then return { 'none' } end

local target = state.rev == known and '' or state.target
local chunks, sent_to, max, waiting = next_batch(key, queue, counters, state, bytes_max, ARGV, 8)
if not chunks then return { 'none' } end
hold(channel, owner)
redis.call('HSET', key, 'owner', owner, 'token', token, 'sentFrom', counters.head, 'sentTo', sent_to)
return answer({ 'ok', tonumber(state.attempt) or 0, max, state.rev, target, counters.head, counters.skip, waiting }, chunks)
