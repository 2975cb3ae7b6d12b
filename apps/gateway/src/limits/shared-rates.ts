import { CONFIG, REDIS, type RedisClient } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { GatewayConfig, Rate } from '../config.js';
import { intervalMs, toleranceMs } from './gcra.js';

/**
 * How many bursts a stored time is ahead at most: each replica lets a quarter of one pass without asking. If it is further ahead,
 * the time of Redis was set back, such as by a failover to a node whose clock is behind.
 */
const burstsAheadMax = 16;

/**
 * Adds the requests that a replica has let pass already, then takes one from each of several rates, or from none.
 * KEYS the theoretical arrival times in µs; each expires when its bucket is full again.
 * ARGV 1 to take or 0; then per key: interval in µs, tolerance in µs, requests that passed. Time is the server's, so
 * replicas need no common clock.
 * Returns 0 if it took, or if ARGV 1 is 0; otherwise the longest wait in µs. Then follows per key how many µs its
 * theoretical arrival time is ahead.
 */
const takeRates = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tats, longest = {}, 0
local take = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  local interval, tolerance, passed = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  local tat = tonumber(redis.call('GET', key) or 0)
  if tat - now > ${burstsAheadMax} * tolerance then tat = now end
  tats[i] = math.max(tat, now) + interval * passed
  longest = math.max(longest, tats[i] + interval * take - now - tolerance)
end
if take == 0 then longest = 0 end
local answer = { math.ceil(longest) }
for i, key in ipairs(KEYS) do
  if longest <= 0 then tats[i] = tats[i] + tonumber(ARGV[3 * i - 1]) * take end
  if tats[i] > now then
    redis.call('SET', key, string.format('%.0f', tats[i]), 'PX', math.max(1, math.ceil((tats[i] - now) / 1000)))
  end
  answer[i + 1] = math.ceil(tats[i] - now)
end
if longest <= 0 then answer[1] = 0 end
return answer
`;

type WithCommand = RedisClient & { takeRates(keys: number, ...keysAndNumbers: (string | number)[]): Promise<number[]> };

export interface SharedRate {
  name: string;
  rate: Rate;
  /** Requests that this replica let pass and has not reported yet. */
  passed: number;
}

export interface SharedVerdict {
  /** 0: taken from all. Otherwise nothing was taken, and how long to wait. */
  waitMs: number;
  /** For each rate, in order: how long the requests so far occupy it. */
  usedMs: number[];
}

/** Rates in Redis. Rejects if Redis does not answer promptly. */
@Injectable()
export class SharedRates {
  private readonly redis: WithCommand;
  private readonly prefix: string;

  constructor(@Inject(REDIS) redis: RedisClient, @Inject(CONFIG) { redisPrefix }: GatewayConfig) {
    redis.defineCommand('takeRates', { lua: takeRates });
    this.redis = redis as WithCommand;
    this.prefix = redisPrefix;
  }

  /** Reports what passed, and takes one more from each if `isTaking`. `group` keeps the names in one slot. */
  async settleRates(group: string, rates: readonly SharedRate[], isTaking: boolean): Promise<SharedVerdict> {
    const keys = rates.map(({ name }) => `${this.prefix}rate:{${group}}:${name}`);
    const numbers = rates.flatMap(({ rate, passed }) => [intervalMs(rate) * 1_000, toleranceMs(rate) * 1_000, passed]);
    const [waitUs = 0, ...usedUs] = await this.redis.takeRates(keys.length, ...keys, Number(isTaking), ...numbers);
    return { waitMs: waitUs / 1_000, usedMs: usedUs.map((us) => us / 1_000) };
  }
}
