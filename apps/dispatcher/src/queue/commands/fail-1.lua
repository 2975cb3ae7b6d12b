-- A callback did not take its batch: tried again when due. A free account's batch goes after its retries (spec 8).
-- What was registered or stopped meanwhile has not failed.
--
-- KEYS  1 ready
-- ARGV  base channel token  now  due  retries of a free account  batch: from to chunks cost skip
--       revision that was sent to
-- Returns {'fenced'}  {'ok', failures in a row, failing since, events given up}
local ready = KEYS[1]
local base, channel, token, now = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local due, free_retries, from, to = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local key, queue = channel_keys(base, channel)

local state = load(key, 'token', 'owner', 'attempt', 'failSince', 'tier', 'rev', 'stopped', 'kind', 'n')
if state.token ~= token then return { 'fenced' } end
though_full(base)
if state.rev ~= ARGV[12] or state.stopped ~= '' then
  redis.call('HSET', key, 'repeatTo', to)
  release(base, key, channel, state.owner)
  if (tonumber(state.n) or 0) > 0 then make_due(ready, state, channel, now) end
  return { 'ok', tonumber(state.attempt) or 0, tonumber(state.failSince) or now, 0 }
end
local attempt = (tonumber(state.attempt) or 0) + 1
local since = tonumber(state.failSince) or now
local books = load_books(key)
local given_up = 0
if state.tier == 'free' and attempt > free_retries then
  given_up = take_away(queue, books, to, hint_of({ from, ARGV[9], ARGV[10], ARGV[11] }, 1))
  books.droppedFailed = books.droppedFailed + given_up
  save_books(key, books)
  attempt, due = 0, now
end
redis.call('HSET', key, 'attempt', attempt, 'failSince', since, 'failAt', now, 'repeatTo', to)
release(base, key, channel, state.owner)
if books.n > 0 then redis.call('ZADD', ready, due, channel) end
return { 'ok', attempt, since, given_up }
