-- Reads the next batch of a channel that a socket or a poll holds, for a socket also the batches behind it. Nothing is removed.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel token  oldest time an event may have  bytes max  cursor: next head index skip
--       bytes in all up to which batches behind it are added
--       born from to: events that the replica has itself, or three times ''
-- Returns {'ok', max, from, head, index, skip, waiting, chunk...}; no chunks: the replica has them itself; waiting: events of a
--           poll that may be put into another order
--         {'empty', head}  {'fenced'}
local channel, token, oldest, bytes_max = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local from, head, index, skip = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local ahead = tonumber(ARGV[9])
local key, queue = channel_keys(1)

local state = load(key, 'token', 'max', 'born', 'kind', 'owner', 'orderedTo')
if state.token ~= token then return { 'fenced' } end
local counters = load_counters(key)
if drop_aged(queue, counters, oldest) > 0 then save_counters(key, counters) end

if counters.head ~= head then
  -- Events were dropped: find the place again by counting from the new head.
  from = math.max(from, counters.head)
  local start = counters.head - counters.skip
  index, skip = 0, 0
  while true do
    local chunk = redis.call('LINDEX', queue, index)
    if not chunk then break end
    local _, count = chunk_head(chunk)
    if from < start + count then
      skip = from - start
      break
    end
    start, index = start + count, index + 1
  end
end

if from >= counters.head + counters.n then
  redis.call('ZREM', WOKEN, held_as(state.owner, channel))
  return { 'empty', counters.head }
end
local chunks, sent_to, is_lost = batch_at(queue, index, skip, from, tonumber(state.max), bytes_max, state.born, ARGV, 10,
  ahead)
allow_when_full()
if is_lost then
  -- Events that were sent before must be confirmed first.
  if from == counters.head then
    stamp_head(queue, counters)
    save_counters(key, counters)
  end
  redis.call('ZREM', WOKEN, held_as(state.owner, channel))
  return { 'empty', counters.head }
end
local waiting = 0
-- A socket's own confirmations say where unconfirmed events begin; for a poll, the next poll must know it.
if state.kind == 'pull' then
  redis.call('HSET', key, 'sentFrom', from, 'sentTo', math.min(sent_to, from + tonumber(state.max)))
  if counters.head >= (tonumber(state.orderedTo) or 0) then waiting = counters.n end
else
  redis.call('HSET', key, 'sentTo', sent_to)
end
return answer({ 'ok', tonumber(state.max), from, counters.head, index, skip, waiting }, chunks)
