-- The connection that carried a poll's answer broke: the events of the answer are delivered again, unless the client says
-- that it has them. The channel may have been deleted and created again since, and its numbers start at 0 too.
--
-- KEYS  of the shard, of the channel
-- ARGV  pending  born: the mark of the queue that the answer is from
local key = channel_keys(1)
local state = load(key, 'pending', 'born')
if state.pending ~= ARGV[1] or state.born ~= ARGV[2] then return 0 end
allow_when_full()
redis.call('HSET', key, 'pending', '', 'sentTo', ARGV[1])
return 1
