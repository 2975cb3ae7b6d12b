-- The oldest chunks of a channel that is held, whatever their categories are, if they change often enough.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel token  number of the oldest event  events max  bytes max  changes of the category at least
-- Returns {'ok', chunk...}: none where the head is elsewhere, or within a chunk, or there are too few changes  {'fenced'}
local token, head = ARGV[2], tonumber(ARGV[3])
local max_events, max_bytes, changes_min = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local key, queue = channel_keys(1)

local state = load(key, 'token', 'head', 'skip')
if state.token ~= token then return { 'fenced' } end
if tonumber(state.head) ~= head or (tonumber(state.skip) or 0) > 0 then return { 'ok' } end

local reply, events, bytes, changes, category = { 'ok' }, 0, 0, -1, nil
while events < max_events and bytes < max_bytes do
  local page = redis.call('LRANGE', queue, #reply - 1, #reply + 62)
  for _, chunk in ipairs(page) do
    local this, count = chunk_head(chunk)
    if this ~= category then category, changes = this, changes + 1 end
    reply[#reply + 1] = chunk
    events, bytes = events + count, bytes + #chunk
    if events >= max_events or bytes >= max_bytes then break end
  end
  if #page < 64 then break end
end
return changes >= changes_min and reply or { 'ok' }
