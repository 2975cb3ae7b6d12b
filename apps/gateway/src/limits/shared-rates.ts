import type { Redis } from 'ioredis';
import { intervalMs, type Rate, toleranceMs } from './gcra.js';

/**
 * take-rate-1: takes one from the rate of a name.
 * KEYS[1] the name's theoretical arrival time in µs; expires when the bucket is full again.
 * ARGV[1] interval in µs, ARGV[2] tolerance in µs. Time is the server's, so replicas need no common clock.
 * Returns 0 when taken, else the µs to wait.
 */
const takeRate = `
local interval, tolerance = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tat = tonumber(redis.call('GET', KEYS[1]) or 0)
local next = math.max(tat, now) + interval
local wait = next - now - tolerance
if wait > 0 then return math.ceil(wait) end
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.max(1, math.ceil((next - now) / 1000)))
return 0
`;

type WithCommand = Redis & { takeRate(key: string, intervalUs: number, toleranceUs: number): Promise<number> };

/** Rates that all replicas count together, in Redis. Rejects when Redis does not answer at once. */
export class SharedRates {
  private readonly redis: WithCommand;

  constructor(
    redis: Redis,
    private readonly prefix: string,
    private readonly rate: Rate,
  ) {
    redis.defineCommand('takeRate', { numberOfKeys: 1, lua: takeRate });
    this.redis = redis as WithCommand;
  }

  /** 0: taken. Otherwise how long to wait. */
  async take(name: string): Promise<number> {
    const key = `${this.prefix}rate:{${name}}`;
    const waitUs = await this.redis.takeRate(key, intervalMs(this.rate) * 1_000, toleranceMs(this.rate) * 1_000);
    return waitUs / 1_000;
  }
}
