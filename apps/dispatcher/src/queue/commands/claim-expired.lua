-- Returns which of these channels ended by a rule of time (spec 8). Checks those whose next check is due, and sets the next one.
--
-- KEYS  of the shard, of each channel
-- ARGV  now  check again after (ms)  idle max  failed delivery max  without socket max  without poll max
--       stopped max  1: check although it is not due  channel...
-- Returns {channel, rule, ...}; rules: idle, failed, stopped, no-socket, no-poll
local now, again = tonumber(ARGV[1]), tonumber(ARGV[2])
local idle_max, failed_max, socket_max, poll_max, stopped_max =
  tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local at_once = ARGV[8] == '1'

-- A free account's batch that was given up says nothing about the time after it, until another one fails.
local function is_failing(state)
  if state.failSince == '' then return false end
  local lasted = (tonumber(state.failAt) or 0) - tonumber(state.failSince)
  return (tonumber(state.attempt) or 0) > 0 or lasted >= failed_max
end

-- Returns the rule for this kind of channel, the time at which it ends the channel (false: its condition is not met
-- now), and the time in ms for which the condition must be met until then.
local function rule(state)
  if state.kind == 'callback' and state.stopped ~= '' then
    return 'stopped', tonumber(state.stoppedAt) + stopped_max, stopped_max
  elseif state.kind == 'callback' then
    return 'failed', is_failing(state) and tonumber(state.failSince) + failed_max, failed_max
  end
  local max = state.kind == 'pull' and poll_max or socket_max
  local name = state.kind == 'pull' and 'no-poll' or 'no-socket'
  return name, state.owner == '' and tonumber(state.lastSeen) + max, max
end

local expired = {}
local function is_time(channel)
  return at_once or (tonumber(redis.call('ZSCORE', EXPIRY, channel)) or math.huge) <= now
end

allow_when_full()
for n = 1, #ARGV - 8 do
  local channel, key = ARGV[8 + n], channel_keys(n)
  local state = load(key, 'kind', 'owner', 'lastIn', 'lastSeen', 'attempt', 'failSince', 'failAt',
    'stopped', 'stoppedAt')
  if state.kind == '' then
    redis.call('ZREM', EXPIRY, channel)
  elseif is_time(channel) then
    local name, ends_at, soonest = rule(state)
    local idle = tonumber(state.lastIn) + idle_max
    local which = ends_at and ends_at <= now and name or idle <= now and 'idle'
    if which then
      expired[#expired + 1], expired[#expired + 2] = channel, which
      redis.call('ZADD', EXPIRY, now + again, channel)
    else
      redis.call('ZADD', EXPIRY, math.min(idle, ends_at or now + soonest, now + soonest), channel)
    end
  end
end
return expired
