import type { Clock, Timer } from '@lanyard/service';
import { DerivedClock } from './local-clock.js';
import type { RedisLink } from './redis-link.js';
import { asList, asNumber } from './reply.js';

const syncPeriodMs = 10_000;

/**
 * The time of Redis, continued by this process' monotonic clock. Every replica compares the times that are stored in Redis (due
 * times, ages, rules of hours) with this one time, and a wall clock that is set wrong, or jumps, changes nothing.
 */
export class SharedClock extends DerivedClock {
  private redisMs = Date.now();
  private askedAtMs = performance.now();
  private syncing: Timer | undefined;

  constructor(
    base: Clock,
    private readonly link: RedisLink,
    /** A key that selects the node whose time is used, in a cluster. */
    private readonly key: string,
  ) {
    super(base);
  }

  /** Rejects when Redis does not answer. */
  async start(): Promise<void> {
    await this.sync();
    this.link.onBack(() => void this.sync().catch(() => undefined));
    // If Redis does not answer, its last answer is extrapolated further.
    this.syncing = this.base.every(syncPeriodMs, () => void this.sync().catch(() => undefined));
  }

  stop(): void {
    this.syncing?.cancel();
  }

  now(): number {
    return Math.floor(this.redisMs + performance.now() - this.askedAtMs) + this.aheadOfWallClockMs;
  }

  private async sync(): Promise<void> {
    const askedAtMs = performance.now();
    const [seconds, microseconds] = asList(await this.link.run('time', [this.key], []));
    this.redisMs = asNumber(seconds) * 1_000 + asNumber(microseconds) / 1_000;
    this.askedAtMs = (askedAtMs + performance.now()) / 2;
  }
}
