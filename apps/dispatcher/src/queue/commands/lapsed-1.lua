-- Which channels ended by a rule of time (spec 8). Looks at those whose time to look has come, and says when next; or
-- at one channel only.
--
-- KEYS  1 expiry
-- ARGV  base  now  look again after (ms)  idle max  failed delivery max  without socket max  without poll max
--       stopped max  channel, or ''
-- Returns {channel, rule, ...}; rules: idle, failed, stopped, no-socket, no-poll
local expiry = KEYS[1]
local base, now, again = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local idle_max, failed_max, socket_max, poll_max, stopped_max =
  tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local only = ARGV[9]

-- A free account's batch that was given up says nothing of the time after it, until another one fails.
local function is_failing(state)
  if state.failSince == '' then return false end
  local lasted = (tonumber(state.failAt) or 0) - tonumber(state.failSince)
  return (tonumber(state.attempt) or 0) > 0 or lasted >= failed_max
end

-- When the rule strikes, and how soon it could if it does not hold now.
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

local lapsed = {}
local looked_at = only ~= '' and { only } or redis.call('ZRANGEBYSCORE', expiry, '-inf', now, 'LIMIT', 0, 500)
if #looked_at > 0 then though_full(base) end
for _, channel in ipairs(looked_at) do
  local key = channel_keys(base, channel)
  local state = load(key, 'kind', 'owner', 'lastIn', 'lastSeen', 'attempt', 'failSince', 'failAt',
    'stopped', 'stoppedAt')
  if state.kind == '' then
    redis.call('ZREM', expiry, channel)
  else
    local name, strikes, soonest = rule(state)
    local idle = tonumber(state.lastIn) + idle_max
    local which = strikes and strikes <= now and name or idle <= now and 'idle'
    if which then
      lapsed[#lapsed + 1], lapsed[#lapsed + 2] = channel, which
      redis.call('ZADD', expiry, now + again, channel)
    else
      redis.call('ZADD', expiry, math.min(idle, strikes or now + soonest, now + soonest), channel)
    end
  end
end
return lapsed
