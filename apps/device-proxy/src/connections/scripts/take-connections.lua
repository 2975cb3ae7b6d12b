-- Records arrived here of connections that this replica does not have. Takes over those whose owner has no lease: the epoch
-- grows in the same step, so no state is read twice with the same epoch, and a former owner can no longer save.
-- Epochs are at least the time in seconds, so that they grow even when Redis has lost its latest writes.
--
-- Two kinds of connections are not taken over here: one whose records were all forwarded is left to the replica that the device
-- reaches, and a replica that is full leaves connections to others.
--
-- KEYS  1 slots  then the hash of each connection
-- ARGV  1 owner that asks  2 time of its clock in seconds  then for each connection 1 when it is left to another replica
-- Returns for each connection { 'none' }, { 'elsewhere', owner }, { 'unowned' }, or { 'taken', epoch, sealed state }.
local slots = KEYS[1]
local owner, seconds = ARGV[1], tonumber(ARGV[2])

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
seconds = math.max(seconds, tonumber(time[1]))

local function isLive(other)
  local slot, token = string.match(other, '^(%d+):(%S+)$')
  local lease = slot and redis.call('HGET', slots, slot)
  if not lease then return false end
  local untilMs, holder = string.match(lease, '^(%d+) (%S+) ')
  return holder == token and tonumber(untilMs) > now
end

local results = {}
for n = 2, #KEYS do
  local c = redis.call('HMGET', KEYS[n], 'epoch', 'owner', 'state')
  if not c[1] then
    results[n - 1] = { 'none' }
  elseif c[2] ~= owner and isLive(c[2]) then
    results[n - 1] = { 'elsewhere', c[2] }
  elseif c[2] ~= owner and ARGV[n + 1] == '1' then
    results[n - 1] = { 'unowned' }
  else
    local epoch = string.format('%.0f', math.max(tonumber(c[1]) + 1, seconds))
    redis.call('HSET', KEYS[n], 'epoch', epoch, 'owner', owner)
    results[n - 1] = { 'taken', epoch, c[3] }
  end
end
return results
