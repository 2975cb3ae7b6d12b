-- Puts the oldest events of a held channel into another order, or keeps their order for good. None of these events has been
-- sent.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel token  number of the oldest event  number after the last event that is sent next  number after the last of these events
--       how many chunks are replaced  chunk...: the same events; none where their order stays
-- Returns {'ok', born}: the mark of the queue from now on  {'moved'}: a limit removed some of them meanwhile, and nothing was changed
--         {'fenced'}
local token, head, sent_to, ordered_to = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local replaced, first_chunk = tonumber(ARGV[6]), 7
local key, queue = channel_keys(1)

local state = load(key, 'token', 'born', 'orderedTo')
if state.token ~= token then return { 'fenced' } end
-- The channel may have been registered with another rendering since the events were read: then more events keep their order.
ordered_to = math.max(ordered_to, tonumber(state.orderedTo) or 0)
if #ARGV < first_chunk then
  allow_when_full()
  redis.call('HSET', key, 'orderedTo', ordered_to)
  return { 'ok', state.born }
end
-- What replicas know about the queue from their appends is void now, so it gets another mark. A command may be repeated.
local born = string.match(state.born, '^[^~]*') .. '~' .. token .. '@' .. head
if state.born == born then return { 'ok', born } end
local counters = load_counters(key)
if counters.head ~= head or counters.skip > 0 then return { 'moved' } end

local function sum(chunks, first)
  local events, cost = 0, 0
  for n = first, #chunks do
    local _, count = chunk_head(chunks[n])
    events, cost = events + count, cost + #chunks[n] + count * EVENT_COST
  end
  return events, cost
end
local events_before, cost_before = sum(redis.call('LRANGE', queue, 0, replaced - 1), 1)
local events_after, cost_after = sum(ARGV, first_chunk)
if events_before ~= events_after then return { 'moved' } end

allow_when_full()
redis.call('LTRIM', queue, replaced, -1)
for n = #ARGV, first_chunk, -1 do redis.call('LPUSH', queue, ARGV[n]) end
counters.bytes = counters.bytes + cost_after - cost_before
stamp_head(queue, counters)
save_counters(key, counters)
redis.call('HSET', key, 'born', born, 'sentFrom', head, 'sentTo', sent_to, 'orderedTo', ordered_to)
return { 'ok', born }
