-- What a channel dropped until now, without what may arrive after all. Called with the counts of the last answer once they
-- are reported: then the channel leaves the set of those with unreported drops, unless it dropped more meanwhile.
--
-- KEYS  of the shard, of the channel
-- ARGV  channel  reported: by size, by age, after failures, or three times ''
-- Returns {} when there is no such channel, else {created, dropped by size, by age, after failures}
local channel = ARGV[1]
local key = channel_keys(1)
local state = load(key, 'created', 'account')
-- All drops of a closed channel are counted when it is removed.
if state.account == '' then
  redis.call('SREM', DROPPED, channel)
  return {}
end
local s = load_counters(key)
local doubt = in_doubt(key, s)
local by_size = math.min(doubt, s.droppedSize)
s.droppedSize, s.droppedAge = s.droppedSize - by_size, math.max(0, s.droppedAge - (doubt - by_size))
local same = s.droppedSize == tonumber(ARGV[2]) and s.droppedAge == tonumber(ARGV[3]) and
  s.droppedFailed == tonumber(ARGV[4])
if same and doubt == 0 then redis.call('SREM', DROPPED, channel) end
return { state.created, s.droppedSize, s.droppedAge, s.droppedFailed }
