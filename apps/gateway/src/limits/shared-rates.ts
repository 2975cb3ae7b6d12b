import type { RedisClient } from '@lanyard/service';
import { intervalMs, type Rate, toleranceMs } from './gcra.js';

/**
 * take-rates-2: takes one from each of several rates, or from none.
 * KEYS the theoretical arrival times in µs; each expires when its bucket is full again.
 * ARGV per key: interval in µs, tolerance in µs. Time is the server's, so replicas need no common clock.
 * Returns 0 when taken, else the longest µs to wait.
 */
const takeRates = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local nexts, longest = {}, 0
for i, key in ipairs(KEYS) do
  local interval, tolerance = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  nexts[i] = math.max(tonumber(redis.call('GET', key) or 0), now) + interval
  longest = math.max(longest, nexts[i] - now - tolerance)
end
if longest > 0 then return math.ceil(longest) end
for i, key in ipairs(KEYS) do
  redis.call('SET', key, string.format('%.0f', nexts[i]), 'PX', math.max(1, math.ceil((nexts[i] - now) / 1000)))
end
return 0
`;

type WithCommand = RedisClient & { takeRates(keys: number, ...keysAndNumbers: (string | number)[]): Promise<number> };

/** One from a rate of this name. */
export interface Take {
  name: string;
  rate: Rate;
}

/** Rates that all replicas count together, in Redis. Rejects when Redis does not answer at once. */
export class SharedRates {
  private readonly redis: WithCommand;

  constructor(
    redis: RedisClient,
    private readonly prefix: string,
  ) {
    redis.defineCommand('takeRates', { lua: takeRates });
    this.redis = redis as WithCommand;
  }

  /** 0: taken from all. Otherwise nothing was taken, and how long to wait. `group`: keeps the names in one slot. */
  async take(group: string, takes: readonly Take[]): Promise<number> {
    const keys = takes.map(({ name }) => `${this.prefix}rate:{${group}}:${name}`);
    const numbers = takes.flatMap(({ rate }) => [intervalMs(rate) * 1_000, toleranceMs(rate) * 1_000]);
    return (await this.redis.takeRates(keys.length, ...keys, ...numbers)) / 1_000;
  }
}
