-- What is in a queue now.
--
-- KEYS  of the shard, of the channel
-- ARGV  oldest time an event may have
-- Returns {} when there is no such channel, else
--   {kind, connected?, events, cost, time of the oldest or '', dropped by size, by age, after failures,
--    failures in a row, failing since or '', address of the client whose socket or poll it is, or '',
--    when a socket or poll was seen last, or ''}
local key, queue = channel_keys(1)
local state = load(key, 'kind', 'owner', 'attempt', 'failSince', 'token', 'address', 'lastSeen')
if state.kind == '' then return {} end
local s = load_counters(key)
if drop_aged(queue, s, tonumber(ARGV[1])) > 0 then save_counters(key, s) end
local mark, address = string.match(state.address, '^(%S+) (.*)$')
if mark ~= string.sub(state.token, 1, 8) then address = '' end
return { state.kind, state.owner ~= '' and 1 or 0, s.n, s.bytes, s.headAt or '', s.droppedSize, s.droppedAge,
  s.droppedFailed, tonumber(state.attempt) or 0, state.failSince, address, state.lastSeen }
