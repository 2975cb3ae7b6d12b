import type { Clock, Timer } from '@lanyard/service';
import type { RedisLink } from './redis-link.js';
import { asList, asNumber } from './reply.js';

const syncPeriodMs = 10_000;

/**
 * The time of Redis, carried on by this process's monotonic clock. What is stored there (due times, ages, rules of
 * hours) is compared with one time by every replica, and a wall clock that is set wrong, or jumps, changes nothing.
 */
export class SharedClock implements Clock {
  readonly after: Clock['after'];
  readonly every: Clock['every'];
  readonly sleep: Clock['sleep'];
  private redisMs = Date.now();
  private askedAtMs = performance.now();
  private syncing: Timer | undefined;

  constructor(
    /** Timers are its own; how far it is ahead of the wall clock is added: that is how tests jump over hours. */
    private readonly own: Clock,
    private readonly link: RedisLink,
    /** Which node's time it is, on a cluster. */
    private readonly key: string,
  ) {
    this.after = own.after.bind(own);
    this.every = own.every.bind(own);
    this.sleep = own.sleep.bind(own);
  }

  /** Rejects when Redis does not answer. */
  async start(): Promise<void> {
    await this.sync();
    this.link.onBack(() => void this.sync().catch(() => undefined));
    // Without an answer the offset stays as it was.
    this.syncing = this.own.every(syncPeriodMs, () => void this.sync().catch(() => undefined));
  }

  stop(): void {
    this.syncing?.cancel();
  }

  now(): number {
    const ahead = this.own.now() - Date.now();
    return Math.floor(this.redisMs + performance.now() - this.askedAtMs) + ahead;
  }

  private async sync(): Promise<void> {
    const askedAtMs = performance.now();
    const [seconds, microseconds] = asList(await this.link.run('time', [this.key], []));
    this.redisMs = asNumber(seconds) * 1_000 + asNumber(microseconds) / 1_000;
    this.askedAtMs = (askedAtMs + performance.now()) / 2;
  }
}
