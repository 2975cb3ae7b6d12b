-- Appends one flush to the channels of one shard, and remembers how far the topics were read: all of it or nothing.
-- Idempotent: the positions are compared and set, so a flush that comes again, or from a consumer that lost its
-- partition, changes nothing. A channel that is not there, or belongs to another account, gets nothing.
--
-- KEYS  1 positions (hash: topic:partition -> last offset; 'generation')  2 ready (zset: channel -> due ms)
-- ARGV  base  now  bytes max  oldest time an event may have  slack before the channel's creation
--       number of positions, then each: field, expected, new
--       number of channels, then each: id, account, render code, number of chunks, chunks
-- Returns {'ok', events for nobody, events before their channel, ready?, dropped by size, dropped by age,
--          {channel, owner, ...} to wake}
--         {'moved', field, stored, ...}    positions are not what was expected
--         {'options', channel, code, ...}  channels whose events must be rendered otherwise
local positions, ready = KEYS[1], KEYS[2]
local base, now, bytes_max = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local oldest, slack = tonumber(ARGV[4]), tonumber(ARGV[5])
local at = 6
local function arg()
  local value = ARGV[at]
  at = at + 1
  return value
end

local updates, found, moved = {}, { 'moved' }, false
for _ = 1, tonumber(arg()) do
  local field, expected, new = arg(), arg(), arg()
  local stored = redis.call('HGET', positions, field) or '-1'
  moved = moved or stored ~= expected
  found[#found + 1], found[#found + 2] = field, stored
  updates[#updates + 1], updates[#updates + 2] = field, new
end
if moved then return found end

local channels, outdated = {}, { 'options' }
for _ = 1, tonumber(arg()) do
  local id, account, render, count = arg(), arg(), arg(), tonumber(arg())
  local key, queue = channel_keys(base, id)
  local state = load(key, 'account', 'render', 'created', 'kind', 'owner', 'lingerUntil', 'stopped')
  local known = state.account == account
  if known and state.render ~= render then
    outdated[#outdated + 1], outdated[#outdated + 2] = id, state.render
  end
  channels[#channels + 1] = { id = id, key = key, queue = queue, known = known, state = state, first = at, count = count }
  at = at + count
end
if #outdated > 1 then return outdated end

local nobody, early, woken, by_size, by_age, wake = 0, 0, 0, 0, 0, {}
for _, channel in ipairs(channels) do
  local created = tonumber(channel.state.created) or 0
  local queue = channel.queue
  local books = channel.known and load_books(channel.key)
  local added, kept = 0, {}
  for n = channel.first, channel.first + channel.count - 1 do
    local chunk = ARGV[n]
    local _, events, newest = chunk_head(chunk)
    if not books then
      nobody = nobody + events
    elseif newest < created - slack then
      early = early + events
    elseif newest < oldest then
      books.droppedAge, by_age, added = books.droppedAge + events, by_age + events, added + events
    else
      kept[#kept + 1] = chunk
      books.headAt = books.headAt or newest
      books.n, books.bytes = books.n + events, books.bytes + #chunk + events * EVENT_COST
      added = added + events
    end
  end
  -- unpack() takes so many at once.
  for n = 1, #kept, 1000 do
    redis.call('RPUSH', queue, unpack(kept, n, math.min(n + 999, #kept)))
  end
  if added > 0 then
    by_age = by_age + drop_aged(queue, books, oldest)
    while books.bytes > bytes_max do
      local gone = pop(queue, books)
      books.droppedSize, by_size = books.droppedSize + gone, by_size + gone
    end
    save_books(channel.key, books)
    redis.call('HSET', channel.key, 'lastIn', now)
    local owner = channel.state.owner
    if books.n > 0 and channel.state.kind == 'callback' then
      if owner == '' and channel.state.stopped == '' then
        redis.call('ZADD', ready, 'NX', math.max(now, tonumber(channel.state.lingerUntil) or 0), channel.id)
        woken = 1
      end
    elseif books.n > 0 and owner ~= '' then
      redis.call('ZADD', base .. 'ready:' .. owner, now, channel.id)
      wake[#wake + 1], wake[#wake + 2] = channel.id, owner
    end
  end
end

redis.call('HSET', positions, unpack(updates))
return { 'ok', nobody, early, woken, by_size, by_age, wake }
