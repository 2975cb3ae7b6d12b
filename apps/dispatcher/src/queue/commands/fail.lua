-- A callback did not accept its batch: it is tried again when due. A free account's batch is dropped after its retries (spec 8).
-- A batch of a channel that was registered or stopped meanwhile does not count as failed.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel token  now  due  retries of a free account  batch: from to chunks cost skip
--       revision of the target that the batch was sent to
-- Returns {'fenced'}  {'ok', failures in a row, failing since, events given up}
local channel, token, now = ARGV[1], ARGV[2], tonumber(ARGV[3])
local due, free_retries, from, to = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local key, queue = channel_keys(1)

local state = load(key, 'token', 'owner', 'attempt', 'failSince', 'tier', 'rev', 'stopped', 'kind', 'n')
if state.token ~= token then return { 'fenced' } end
allow_when_full()
if state.rev ~= ARGV[11] or state.stopped ~= '' then
  redis.call('HSET', key, 'repeatTo', to)
  release(key, channel, state.owner)
  if (tonumber(state.n) or 0) > 0 then make_due(state, channel, now) end
  return { 'ok', tonumber(state.attempt) or 0, tonumber(state.failSince) or now, 0 }
end
local attempt = (tonumber(state.attempt) or 0) + 1
local since = tonumber(state.failSince) or now
local counters = load_counters(key)
local given_up = 0
if state.tier == 'free' and attempt > free_retries then
  given_up = take_away(queue, counters, to, hint_of({ from, ARGV[8], ARGV[9], ARGV[10] }, 1))
  counters.droppedFailed = counters.droppedFailed + given_up
  save_counters(key, counters)
  attempt, due = 0, now
end
redis.call('HSET', key, 'attempt', attempt, 'failSince', since, 'failAt', now, 'repeatTo', to)
release(key, channel, state.owner)
if counters.n > 0 then redis.call('ZADD', READY, due, channel) end
return { 'ok', attempt, since, given_up }
