-- Devices were seen, and some have renewed their registration without changing it. Written for many at once. An owner that
-- lost a session learns that here at the latest.
--
-- KEYS  1 expiry  2... session hash of each device
-- ARGV  for each device: its id, epoch of the caller, last seen at ms, expires at ms or '' when unchanged, position of its
--       observations or '' when unchanged
-- Returns for each device 1, or 0 when the session is gone, expiring, or owned by a later epoch.
local expiry = KEYS[1]

local results = {}
for n = 2, #KEYS do
  local session, at = KEYS[n], (n - 2) * 5
  local device, epoch, heard, expires, newest = unpack(ARGV, at + 1, at + 5)
  local s = redis.call('HMGET', session, 'state', 'epoch')
  if s[1] ~= 'open' or s[2] ~= epoch then
    results[n - 1] = 0
  else
    if expires == '' then
      redis.call('HSET', session, 'heard', heard)
    else
      redis.call('HSET', session, 'heard', heard, 'expires', expires)
      redis.call('ZADD', expiry, expires, device)
    end
    if newest ~= '' then redis.call('HSET', session, 'newest', newest) end
    results[n - 1] = 1
  end
end
return results
