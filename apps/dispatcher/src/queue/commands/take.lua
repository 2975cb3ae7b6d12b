-- Reads the next batch of a channel that a socket or a poll holds. Nothing is removed.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel token  oldest time an event may have  bytes max  cursor: next head index skip
--       born from to: events that the replica has itself, or three times ''
-- Returns {'ok', max, from, head, index, skip, chunk...}; no chunks: those that it has  {'empty', head}  {'fenced'}
local channel, token, oldest, bytes_max = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local from, head, index, skip = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local key, queue = channel_keys(1)

local state = load(key, 'token', 'max', 'born', 'kind', 'owner')
if state.token ~= token then return { 'fenced' } end
local books = load_books(key)
if drop_aged(queue, books, oldest) > 0 then save_books(key, books) end

if books.head ~= head then
  -- Events were dropped: find the place again by counting from the new head.
  from = math.max(from, books.head)
  local start = books.head - books.skip
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

if from >= books.head + books.n then
  redis.call('ZREM', WOKEN, held_as(state.owner, channel))
  return { 'empty', books.head }
end
local chunks, sent_to, is_lost = batch_at(queue, index, skip, from, tonumber(state.max), bytes_max, state.born, ARGV, 9)
though_full()
if is_lost then
  -- What was sent before is confirmed first.
  if from == books.head then
    stamp_head(queue, books)
    save_books(key, books)
  end
  redis.call('ZREM', WOKEN, held_as(state.owner, channel))
  return { 'empty', books.head }
end
-- A socket says itself from where on its events arrived; of a poll, the next one must know it.
if state.kind == 'pull' then
  redis.call('HSET', key, 'sentFrom', from, 'sentTo', sent_to)
else
  redis.call('HSET', key, 'sentTo', sent_to)
end
return answer({ 'ok', tonumber(state.max), from, books.head, index, skip }, chunks)
