-- A batch arrived: removes its events. May be repeated: what was confirmed before is neither removed nor counted again.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel token  now  oldest time an event may have  batch: from to chunks cost skip
--       mode: hold (keep the channel)  next (keep it and read the next batch, release when empty)  release
--       bytes max  linger until (ms)  revision that the holder knows, or '': if it is another one, nothing more is read
--       born from to: events that the replica has itself, or three times ''
-- Returns {'fenced'}  {'held'}  {'released', more?}  {'next', max, head, skip, waiting, chunk...}; no chunks:
--           the replica has them itself; waiting: events that may be put into another order
local channel, token, now, oldest = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local from, to, mode, bytes_max, linger = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[10], tonumber(ARGV[11]), ARGV[12]
local key, queue = channel_keys(1)

local state = load(key, 'token', 'owner', 'max', 'kind', 'rev', 'stopped', 'born', 'sentFrom', 'repeatTo',
  'orderedTo')
if state.token ~= token then return { 'fenced' } end
allow_when_full()
local counters = load_counters(key)
local unconfirmed = math.max(from, tonumber(state.sentFrom) or from)
undrop(counters, to, unconfirmed)
local hint = hint_of({ from, ARGV[7], ARGV[8], ARGV[9] }, 1)
take_away(queue, counters, to, hint)
drop_aged(queue, counters, oldest)
save_counters(key, counters)
redis.call('HSET', key, 'attempt', 0, 'failSince', '', 'lingerUntil', linger, 'sentFrom', math.max(to, unconfirmed))

if mode == 'hold' then return { 'held' } end
local may_continue = (ARGV[13] == '' or ARGV[13] == state.rev) and state.stopped == ''
if mode == 'next' and may_continue and counters.n > 0 then
  local chunks, sent_to, max, waiting = next_batch(key, queue, counters, state, bytes_max, ARGV, 14)
  if chunks then
    redis.call('HSET', key, 'sentFrom', counters.head, 'sentTo', sent_to)
    return answer({ 'next', max, counters.head, counters.skip, waiting }, chunks)
  end
end
release(key, channel, state.owner)
if counters.n == 0 then return { 'released', 0 } end
make_due(state, channel, math.max(now, tonumber(linger)))
return { 'released', 1 }
