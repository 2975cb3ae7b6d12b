-- Takes a slot, or renews the lease of the slot that the replica has. A slot becomes free only when its lease has ended by the
-- clock of Redis, or when a process with the same replica id starts, because then the previous process has ended. Leases that
-- have ended are removed.
--
-- KEYS  1 slots
-- ARGV  1 token of the process  2 slot that it has, or ''  3 address of the peer port or -  4 lease in ms  5 replica id
-- Returns { slot, 1 when the lease had not ended, for each other slot: slot, token, address of the peer port }.
local slots = KEYS[1]
local token, wanted, address, lease, replica = unpack(ARGV)
local slotsMax = 65536

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local held, others, unbroken = {}, {}, 0
local all = redis.call('HGETALL', slots)
for n = 1, #all, 2 do
  local slot = all[n]
  local untilMs, holder, at, name = string.match(all[n + 1], '^(%d+) (%S+) (%S+) (.*)$')
  local isBefore = holder == token or (name == replica and wanted == '')
  if holder == token and slot == wanted and tonumber(untilMs) > now then
    unbroken = 1
  elseif not holder or isBefore or tonumber(untilMs) <= now then
    redis.call('HDEL', slots, slot)
  else
    held[slot] = true
    others[#others + 1] = slot
    others[#others + 1] = holder
    others[#others + 1] = at
  end
end

local slot = wanted
if slot == '' or held[slot] then
  for n = 0, slotsMax - 1 do
    slot = tostring(n)
    if not held[slot] then break end
  end
  if held[slot] then return redis.error_reply('no free slot') end
end
local untilMs = string.format('%.0f', now + tonumber(lease))
redis.call('HSET', slots, slot, table.concat({ untilMs, token, address, replica }, ' '))
return { slot, unbroken, unpack(others) }
