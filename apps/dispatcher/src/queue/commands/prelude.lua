-- Put before every command. A channel's queue is a list of chunks (src/queue/chunk.ts) and a hash:
--   account kind render max tier rev target created   what was registered
--   head skip n bytes headAt      number of the oldest event; events gone from the first chunk; events; cost; its time
--   born                          mark of this queue: another queue of the channel has another mark, although it counts from 0
--                                 too; the mark also changes when events of the queue are put into another order
--   owner conn token              who delivers now: replica, socket or poll, and the fencing token of this hold
--   address                       of the client of this socket or poll, after the first 8 characters of its token: void when
--                                 these are not the token's, since the previous version attaches and releases without it
--   sentFrom sentTo                                   events that the holder has: sent, not confirmed
--   attempt failSince failAt      failures in a row of the batch at the head; the first and the last since one arrived
--   repeatTo                      events of a callback before this one were sent, and may have arrived without being confirmed
--   orderedTo                     events of a callback or a poll before this one keep their order
--   lingerUntil lastIn lastSeen pending droppedSize droppedAge droppedFailed
--   endedAccount endedAt                              whose channel it was and when it ended, once it is closed
--   stopped stoppedAt     why a callback is not called, although it has events, and since when; '' when it is
-- Every command on a shard gets the same keys first (src/queue/keys.ts), then the hash and list of each channel that it touches.
-- Commands touch no other keys:
--   NOTHING     never exists
--   POSITIONS   hash: topic:partition -> last offset; 'generation'
--   READY       sorted set: callback channel -> when it is due
--   EXPIRY      sorted set: channel -> when to check whether it has expired
--   DROPPED     set: channels with drops that are not reported yet
--   OWNERS      set: replicas that hold channels, or did
--   HELD        sorted set of 'replica channel', all of score 0: who holds what
--   WOKEN       sorted set of 'replica channel', all of score 0: channels whose holder has to continue reading
--
-- While a slot of a Redis Cluster moves, a key that is missing on one node is either on the other one or nowhere. A node
-- that lacks any of the declared keys therefore refuses the whole command. As NOTHING never exists, no command runs with
-- only some of its keys: it waits until the slot has moved.

-- What an event costs beside the bytes of its chunk: `eventOverheadBytes` (src/limits.ts) without the four bytes of its
-- length, which are in the chunk.
local EVENT_COST = 60

-- How many events a socket may send without asking Redis for them, beyond those whose arrival is proven.
local SENT_AHEAD_MAX = 20000

local NOTHING, POSITIONS, READY, EXPIRY, DROPPED, OWNERS, HELD, WOKEN = unpack(KEYS, 1, 8)

-- Hash and list of the nth channel of this command.
local function channel_keys(n)
  return KEYS[7 + 2 * n], KEYS[8 + 2 * n]
end

-- A full Redis refuses a command whose first write may take memory, but none of the later writes. So a command that
-- delivers or frees memory begins with this write, which takes none.
local function allow_when_full()
  redis.call('DEL', NOTHING)
end

local function load(key, ...)
  local names = { ... }
  local values = redis.pcall('HMGET', key, unpack(names))
  -- A key that was replaced by hand is no channel, until it is registered again: the commands of other channels continue.
  if values.err then
    values = redis.call('TYPE', key).ok == 'hash' and redis.call('HMGET', key, unpack(names)) or {}
  end
  local state = {}
  for i, name in ipairs(names) do state[name] = values[i] or '' end
  return state
end

-- Counters of a queue. headAt is false when the queue is empty.
local function load_counters(key)
  local s = load(key, 'head', 'skip', 'n', 'bytes', 'headAt', 'droppedSize', 'droppedAge', 'droppedFailed')
  for _, name in ipairs({ 'head', 'skip', 'n', 'bytes', 'droppedSize', 'droppedAge', 'droppedFailed' }) do
    s[name] = tonumber(s[name]) or 0
  end
  s.headAt = tonumber(s.headAt) or false
  s.droppedBefore = s.droppedSize + s.droppedAge + s.droppedFailed
  return s
end

local function save_counters(key, s)
  redis.call('HSET', key, 'head', s.head, 'skip', s.skip, 'n', s.n, 'bytes', s.bytes, 'headAt', s.headAt or '',
    'droppedSize', s.droppedSize, 'droppedAge', s.droppedAge, 'droppedFailed', s.droppedFailed)
  if s.droppedSize + s.droppedAge + s.droppedFailed > s.droppedBefore then
    redis.call('SADD', DROPPED, string.match(key, ':m:([^:]+)$'))
  end
end

-- Returns the category, the number of events, and the time of the youngest.
local function chunk_head(chunk)
  return struct.unpack('>BI4d', chunk)
end

-- A list that ends before the counters do was evicted by Redis: what it held counts as dropped by size.
local function stamp_head(queue, s)
  local first = redis.call('LINDEX', queue, 0)
  if not first then
    s.droppedSize, s.head = s.droppedSize + s.n, s.head + s.n
    s.headAt, s.skip, s.n, s.bytes = false, 0, 0, 0
    return
  end
  local _, _, at = chunk_head(first)
  s.headAt = at
end

-- Removes the oldest chunk; returns how many events went with it.
local function pop(queue, s)
  local chunk = redis.call('LPOP', queue)
  if not chunk then
    stamp_head(queue, s)
    return 0
  end
  local _, count = chunk_head(chunk)
  local gone = count - s.skip
  s.head, s.n, s.bytes, s.skip = s.head + gone, s.n - gone, s.bytes - #chunk - count * EVENT_COST, 0
  stamp_head(queue, s)
  return gone
end

-- Drops events that are older than their lifetime (spec 8). Returns how many.
local function drop_aged(queue, s, oldest)
  local gone = 0
  while s.headAt and s.headAt < oldest do gone = gone + pop(queue, s) end
  s.droppedAge = s.droppedAge + gone
  return gone
end

-- Removes everything before event `to`. `hint` holds when nothing was dropped since the batch was read: the head is still
-- hint.from, and hint.chunks chunks with a cost of hint.cost go, and hint.skip events of the next one.
-- Returns how many events went.
local function take_away(queue, s, to, hint)
  if s.head >= to then return 0 end
  local before = s.head
  if s.head == hint.from then
    if hint.chunks > 0 then redis.call('LTRIM', queue, hint.chunks, -1) end
    s.n, s.bytes = s.n - (to - s.head), s.bytes - hint.cost
    s.head, s.skip = to, hint.skip
    stamp_head(queue, s)
    return to - before
  end
  while s.head < to and s.n > 0 do
    local first = redis.call('LINDEX', queue, 0)
    if not first then
      local lost = math.max(0, s.head + s.n - math.max(s.head, to))
      s.head, s.n = s.head + s.n - lost, lost
      local arrived = s.head - before
      stamp_head(queue, s)
      return arrived
    end
    local _, count = chunk_head(first)
    if s.head + count - s.skip <= to then
      pop(queue, s)
    else
      local part = to - s.head
      s.head, s.skip, s.n = to, s.skip + part, s.n - part
    end
  end
  return s.head - before
end

-- Events that were dropped while they were on their way, and arrived after all, do not count as dropped.
local function undrop(s, to, from)
  local arrived = math.min(s.head, to) - from
  if arrived <= 0 then return end
  local by_size = math.min(arrived, s.droppedSize)
  s.droppedSize = s.droppedSize - by_size
  s.droppedAge = math.max(0, s.droppedAge - (arrived - by_size))
end

-- Events that are counted as dropped, but may be on their way: if they arrive, `undrop` subtracts them.
local function in_doubt(key, s)
  local state = load(key, 'owner', 'pending', 'sentFrom', 'sentTo')
  if state.owner == '' and state.pending == '' then return 0 end
  return math.max(0, math.min(s.head, tonumber(state.sentTo) or 0) - (tonumber(state.sentFrom) or 0))
end

-- Chunks from list position `index` on, while `belongs` accepts them, up to `max_events` events and `max_bytes` bytes. Also
-- returns how many events these are, without the first `skip` ones.
local function read_chunks(queue, index, skip, max_events, max_bytes, belongs)
  local chunks, events, bytes = {}, -skip, 0
  while events < max_events and bytes < max_bytes do
    local page = redis.call('LRANGE', queue, index, index + math.min(32, max_events - events) - 1)
    if #page == 0 then break end
    for _, chunk in ipairs(page) do
      local category, count, at = chunk_head(chunk)
      if not belongs(category, at, #chunk, count) then return chunks, events end
      events, bytes = events + count, bytes + #chunk
      chunks[#chunks + 1] = chunk
      if events >= max_events or bytes >= max_bytes then return chunks, events end
    end
    index = index + #page
  end
  return chunks, events
end

-- Whether the caller has the events from `at` on itself. args[first]: born, from, to of the events that it has, or ''.
local function has_itself(born, args, first, at)
  return born ~= '' and args[first] == born and at >= tonumber(args[first + 1]) and at < tonumber(args[first + 2])
end

-- Returns the chunks of a batch from list position `index`, event `from` on, unless the caller has them itself; where the
-- batch may end; and whether the list lacks them although the counters say otherwise. What follows the batch, of its
-- category or of another one, comes too as long as all of it together has at most `ahead` bytes.
local function batch_at(queue, index, skip, from, max, bytes_max, born, args, first, ahead)
  ahead = ahead or 0
  if has_itself(born, args, first, from) then
    local stop = tonumber(args[first + 2])
    return {}, ahead > 0 and stop or math.min(from + max, stop)
  end
  local category, is_mixed, bytes, before = nil, false, 0, -skip
  local function belongs(this, _, size, count)
    category, bytes = category or this, bytes + size
    is_mixed = is_mixed or this ~= category
    local is_of_batch = not is_mixed and before < max
    before = before + count
    return is_of_batch or bytes <= ahead
  end
  local chunks, events = read_chunks(queue, index, skip, ahead > 0 and math.huge or max, bytes_max, belongs)
  return chunks, from + events, #chunks == 0
end

-- The next batch of a callback. `state` has max, born, repeatTo and orderedTo. Returns its chunks, where it may end, how many
-- events it may have, and how many events may be put into another order before it is sent; nothing, and counts its events as
-- dropped, if the list lacks it.
local function next_batch(key, queue, s, state, bytes_max, args, first)
  local max, repeat_to = tonumber(state.max), tonumber(state.repeatTo) or 0
  -- A batch that was sent before is repeated unchanged, with the same id: its receiver may have it already.
  if repeat_to > s.head then max = math.min(max, repeat_to - s.head) end
  local chunks, sent_to, is_lost = batch_at(queue, 0, s.skip, s.head, max, bytes_max, state.born, args, first)
  if is_lost then
    stamp_head(queue, s)
    save_counters(key, s)
    return
  end
  local is_ordered = s.head < math.max(repeat_to, tonumber(state.orderedTo) or 0)
  return chunks, math.min(sent_to, s.head + max), max, is_ordered and 0 or s.n
end

-- unpack() has a limit that a batch of single events would exceed.
local function answer(reply, chunks)
  for _, chunk in ipairs(chunks) do reply[#reply + 1] = chunk end
  return reply
end

-- How HELD and WOKEN name a channel.
local function held_as(owner, channel)
  return owner .. ' ' .. channel
end

-- The range in which they name the channels of a replica: '!' is the character after the blank.
local function held_range(owner)
  return '[' .. owner .. ' ', '(' .. owner .. '!'
end

-- Records that this replica holds the channel. Its name stays in `owners` until its channels are released, whatever its heartbeat does.
local function hold(channel, owner)
  redis.call('ZADD', HELD, 0, held_as(owner, channel))
  redis.call('SADD', OWNERS, owner)
end

-- A callback channel that has events and no holder is due, unless it is stopped. `state` has kind and stopped.
local function make_due(state, channel, at)
  if state.kind == 'callback' and state.stopped == '' then redis.call('ZADD', READY, at, channel) end
end

-- Records that no replica delivers this channel any more.
local function release(key, channel, owner)
  redis.call('HSET', key, 'owner', '', 'conn', '', 'token', '')
  redis.call('ZREM', HELD, held_as(owner, channel))
  redis.call('ZREM', WOKEN, held_as(owner, channel))
end

local function hint_of(args, first)
  return {
    from = tonumber(args[first]), chunks = tonumber(args[first + 1]), cost = tonumber(args[first + 2]),
    skip = tonumber(args[first + 3]),
  }
end
