-- Sessions that a replica has and that this Redis may have lost with its data: the end of each is announced when its lifetime
-- is over, unless its device registers before. No message of the device revives it. A session whose earlier epoch is still
-- open, because only the latest writes were lost, stays open with its last epoch: the end of an earlier one would count as a
-- late report.
--
-- KEYS  1 expiry  then for each session: its hash
-- ARGV  1 prefix  2 replica  then for each session: device, epoch, registration id, account, address, last seen at ms,
--       expires at ms, data
local expiry = KEYS[1]
local prefix, replica = ARGV[1], ARGV[2]

for n = 2, #KEYS do
  local session, at = KEYS[n], 8 * n - 14
  local device, epoch, registration, account, address, heard, expires, data = unpack(ARGV, at + 1, at + 8)
  local s = redis.call('HMGET', session, 'state', 'epoch')
  -- The last epoch of a session that has ended stays: such a session is not lost.
  local last = s[2] or redis.call('GET', prefix .. 'epoch:' .. device) or '0'
  if tonumber(last) < tonumber(epoch) then
    if s[1] == 'open' then
      redis.call('HSET', session, 'epoch', epoch, 'expires', expires)
    else
      redis.call('DEL', session)
      redis.call('HSET', session, 'epoch', epoch, 'owner', replica, 'state', 'expiring', 'registration', registration,
        'account', account, 'address', address, 'heard', heard, 'expires', expires, 'data', data, 'ending', 'lifetime')
    end
    redis.call('ZADD', expiry, expires, device)
  end
end
