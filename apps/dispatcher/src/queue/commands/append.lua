-- Appends one flush to the channels of one shard, and remembers how far the topics were read: it does all of this or nothing.
-- Idempotent: the positions are compared and set, so a flush that is repeated, or sent by a consumer that lost its
-- partition, changes nothing. A channel that does not exist, or belongs to another account, gets nothing.
--
-- KEYS  of the shard, of each channel
-- ARGV  now  bytes max  oldest time an event may have  slack before the channel's creation  caller
--       number of positions, then each: field, expected, new
--       number of channels, then each: id, account, render code, token, revision, number of chunks, chunks
--       token: with it the caller claims the channel, if that is a callback of this revision which had nothing to send
--       revision: of the callback's target that the caller knows, or ''
-- Returns {'ok', events without a channel, events before their channel, 1 if a callback channel waits in READY,
--          dropped by size, dropped by age, {born, end, owner, permitted, attempt, max, ...} for each channel}
--           born, end: mark of the queue, and the number after its last event; only if the queue took all these events
--           and no other replica holds the channel, otherwise '' and ''
--           owner: whom to wake; permitted: token of the caller's own socket, which may send the events now
--           attempt: the caller has claimed the channel, and sends these events; '' when it has not
--         {'moved', field, stored, ...}    positions are not what was expected
--         {'options', channel, code, ...}  channels whose events must be rendered with this code
local now, bytes_max = tonumber(ARGV[1]), tonumber(ARGV[2])
local oldest, slack, caller = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local at = 6
local function arg()
  local value = ARGV[at]
  at = at + 1
  return value
end

local updates, found, moved = {}, { 'moved' }, false
for _ = 1, tonumber(arg()) do
  local field, expected, new = arg(), arg(), arg()
  local stored = redis.call('HGET', POSITIONS, field) or '-1'
  moved = moved or stored ~= expected
  found[#found + 1], found[#found + 2] = field, stored
  updates[#updates + 1], updates[#updates + 2] = field, new
end
if moved then return found end

local channels, outdated = {}, { 'options' }
for n = 1, tonumber(arg()) do
  local id, account, render, token, revision, count = arg(), arg(), arg(), arg(), arg(), tonumber(arg())
  local key, queue = channel_keys(n)
  local state = load(key, 'account', 'render', 'created', 'kind', 'owner', 'lingerUntil', 'stopped', 'born', 'rev',
    'token', 'max', 'attempt', 'sentFrom', 'sentTo')
  local known = state.account == account
  if known and state.render ~= render then
    outdated[#outdated + 1], outdated[#outdated + 2] = id, state.render
  end
  channels[#channels + 1] = {
    id = id, key = key, queue = queue, known = known, state = state, token = token, revision = revision,
    first = at, count = count,
  }
  at = at + count
end
if #outdated > 1 then return outdated end

-- When nothing was queued, no replica holds the channel and nothing makes it wait, the caller claims it and sends these events.
local function claimed(channel, counters, came)
  local state = channel.state
  if channel.token == '' or state.kind ~= 'callback' or state.owner ~= '' or state.stopped ~= '' then return false end
  if state.rev ~= channel.revision or counters.n ~= came or (tonumber(state.lingerUntil) or 0) > now then return false end
  if (tonumber(redis.call('ZSCORE', READY, channel.id)) or 0) > now then return false end
  redis.call('ZREM', READY, channel.id)
  hold(channel.id, caller)
  redis.call('HSET', channel.key, 'owner', caller, 'token', channel.token,
    'sentFrom', counters.head, 'sentTo', counters.head + math.min(counters.n, tonumber(state.max)))
  return true
end

-- When the caller's own socket has everything before these events, it may send them without asking.
local function permitted(channel, start, stop)
  local state = channel.state
  if state.kind ~= 'websocket' or tonumber(state.sentTo) ~= start then return '' end
  if stop - (tonumber(state.sentFrom) or 0) > SENT_AHEAD_MAX then return '' end
  redis.call('HSET', channel.key, 'sentTo', stop)
  return state.token
end

local no_channel, early, is_ready, by_size, by_age, replies = 0, 0, 0, 0, 0, {}
for _, channel in ipairs(channels) do
  local state = channel.state
  local created = tonumber(state.created) or 0
  local queue = channel.queue
  local counters = channel.known and load_counters(channel.key)
  local sent, added, came, kept = 0, 0, 0, {}
  for n = channel.first, channel.first + channel.count - 1 do
    local chunk = ARGV[n]
    local _, events, newest = chunk_head(chunk)
    sent = sent + events
    if not counters then
      no_channel = no_channel + events
    elseif newest < created - slack then
      early = early + events
    elseif newest < oldest then
      counters.droppedAge, by_age, added = counters.droppedAge + events, by_age + events, added + events
    else
      kept[#kept + 1] = chunk
      counters.headAt = counters.headAt or newest
      counters.n, counters.bytes = counters.n + events, counters.bytes + #chunk + events * EVENT_COST
      added, came = added + events, came + events
    end
  end
  -- unpack() takes a limited number at once.
  for n = 1, #kept, 1000 do
    redis.call('RPUSH', queue, unpack(kept, n, math.min(n + 999, #kept)))
  end
  local reply = { '', '', '', '', '', '' }
  if added > 0 then
    by_age = by_age + drop_aged(queue, counters, oldest)
    while counters.bytes > bytes_max do
      local gone = pop(queue, counters)
      counters.droppedSize, by_size = counters.droppedSize + gone, by_size + gone
    end
    save_counters(channel.key, counters)
    redis.call('HSET', channel.key, 'lastIn', now)
    local owner = state.owner
    local stop, whole = counters.head + counters.n, came == sent and state.born ~= ''
    if whole and (owner == '' or owner == caller) then reply[1], reply[2] = state.born, stop end
    if counters.n > 0 and whole and claimed(channel, counters, came) then
      reply[5], reply[6] = tonumber(state.attempt) or 0, state.max
    elseif counters.n > 0 and state.kind == 'callback' then
      if owner == '' and state.stopped == '' then
        redis.call('ZADD', READY, 'NX', math.max(now, tonumber(state.lingerUntil) or 0), channel.id)
        is_ready = 1
      end
    elseif counters.n > 0 and owner ~= '' then
      reply[3] = owner
      if owner ~= caller then
        redis.call('ZADD', WOKEN, 0, held_as(owner, channel.id))
      elseif whole then
        reply[4], reply[6] = permitted(channel, stop - came, stop), state.max
      end
    end
  end
  for n = 1, 6 do replies[#replies + 1] = reply[n] end
end

redis.call('HSET', POSITIONS, unpack(updates))
return { 'ok', no_channel, early, is_ready, by_size, by_age, replies }
