-- The oldest chunks of a held channel, whatever their categories, if these change often enough. `regroup` follows, and makes
-- their order final: if its answer is lost, they are read once more.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel token  number of the oldest event  events max  bytes max  changes of the category at least
--       by how much their times may differ (ms)
-- Returns {'ok', chunk...}: none if the head is elsewhere, or within a chunk, or there are too few changes  {'fenced'}
local token, head = ARGV[2], tonumber(ARGV[3])
local max_events, max_bytes = tonumber(ARGV[4]), tonumber(ARGV[5])
local changes_min, span = tonumber(ARGV[6]), tonumber(ARGV[7])
local key, queue = channel_keys(1)

local state = load(key, 'token', 'head', 'skip', 'orderedTo')
if state.token ~= token then return { 'fenced' } end
if tonumber(state.head) ~= head or (tonumber(state.skip) or 0) > 0 then return { 'ok' } end
-- The channel was registered with another rendering meanwhile.
if head < (tonumber(state.orderedTo) or 0) then return { 'ok' } end

local least, most, category, changes = math.huge, -math.huge, nil, -1
local chunks, events = read_chunks(queue, 0, 0, max_events, max_bytes, function(this, at)
  least, most = math.min(least, at), math.max(most, at)
  if most - least > span then return false end
  if this ~= category then category, changes = this, changes + 1 end
  return true
end)
if changes >= changes_min then return answer({ 'ok' }, chunks) end
allow_when_full()
redis.call('HSET', key, 'orderedTo', head + events)
return { 'ok' }
