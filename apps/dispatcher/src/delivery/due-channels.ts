import type { Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { channelIn, Keys, rangeOf } from '../queue/keys.js';
import { RedisLink } from '../queue/redis-link.js';
import { asPairs } from '../queue/reply.js';
import { SharedClock } from '../queue/shared-clock.js';
import { OWNER } from '../queue/tokens.js';
import { retryWaitMaxMs } from './retry-schedule.js';

/**
 * How often a replica looks for due channels while none is due. It reads the due times up to then, so that it looks
 * earlier if a channel falls due earlier.
 */
const lookAheadMs = 500;

/**
 * No channel is due later than this, unless the time of Redis was set back, such as by a failover to a node whose clock is behind.
 * The clocks of replicas differ a little.
 */
const dueAheadMaxMs = retryWaitMaxMs + 5_000;

/** How often due times are compared with this, and how many of a shard are corrected then. */
const comparePeriodMs = 10_000;
const correctedAtOnce = 100;

export interface Due {
  /** Callback channels that may be claimed now, the one that has waited longest first. */
  due: string[];
  /** There are at least as many due channels as free slots. */
  isCrowded: boolean;
  /** Channels of this replica's sockets and polls that got something. */
  held: string[];
  /** When the next callback channel falls due. */
  nextInMs: number;
}

/** Asks Redis which channels have something to deliver. */
@Injectable()
export class DueChannels {
  private comparedAtMs = -Infinity;

  constructor(
    private readonly link: RedisLink,
    private readonly keys: Keys,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(OWNER) private readonly owner: string,
  ) {}

  /** `free`: slots for callbacks. `resting`: channels that are left out, however long they have been due. */
  async find(free: number, resting: ReadonlySet<string>): Promise<Due> {
    const now = this.clock.now();
    await this.correctDueTimes(now);
    const soon = now + lookAheadMs;
    const { shards } = this.keys;
    const lists = (await this.link.together([
      ...shards.map(({ ready }) => ['zrangebyscore', ready, '-inf', soon, 'WITHSCORES', 'LIMIT', 0, free + 1] as const),
      ...shards.map(({ woken }) => ['zrangebylex', woken, ...rangeOf(this.owner)] as const),
    ])) as string[][];
    const held = lists.slice(shards.length).flat();
    const scored = lists.slice(0, shards.length).flatMap((list) => asPairs(list));
    const dueTimes = scored.map(([channelId, atMs]) => [channelId, Number(atMs)] as const);
    // The channel that has waited longest is first, whatever its shard.
    dueTimes.sort(([, a], [, b]) => a - b);
    const due = dueTimes.flatMap(([channelId, atMs]) => (atMs <= now && !resting.has(channelId) ? [channelId] : []));
    const nextAtMs = dueTimes.reduce((least, [, atMs]) => (atMs > now ? Math.min(least, atMs) : least), soon);
    return {
      due: due.slice(0, free),
      isCrowded: due.length >= free,
      held: held.map((member) => channelIn(member)),
      nextInMs: nextAtMs - now,
    };
  }

  /** Channels that would be due much too late are due now. */
  private async correctDueTimes(now: number): Promise<void> {
    if (performance.now() - this.comparedAtMs < comparePeriodMs) return;
    this.comparedAtMs = performance.now();
    const tooLate = [`(${now + dueAheadMaxMs}`, '+inf', 'LIMIT', 0, correctedAtOnce] as const;
    const lists = (await this.link.together(
      this.keys.shards.map(({ ready }) => ['zrangebyscore', ready, ...tooLate] as const),
    )) as string[][];
    await Promise.all(lists.flat().map((id) => this.link.run('postpone', this.keys.forCommand(id), [id, now])));
  }
}
