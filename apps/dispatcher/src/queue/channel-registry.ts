import { randomUUID } from 'node:crypto';
import type { Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { ChannelKind } from '../channel-kind.js';
import type { Channel } from '../db/channel.entity.js';
import {
  eventLifeMs,
  failedDeliveryMaxMs,
  idleMaxMs,
  stoppedMaxMs,
  withoutPollMaxMs,
  withoutSocketMaxMs,
} from '../limits.js';
import type { StopReason } from '../db/channel-health.js';
import type { RenderCode } from '../messages/render-options.js';
import { Keys, type ShardKeys } from './keys.js';
import { type Argument, RedisLink, type Reply } from './redis-link.js';
import { asList, asNumber, asPairs, asText } from './reply.js';
import type { CommandName } from './scripts.js';
import { SharedClock } from './shared-clock.js';

/** What Redis must know of a channel to fill and empty its queue. */
export interface Registration {
  channelId: string;
  accountId: string;
  kind: ChannelKind;
  /** Decimal; a later one wins. */
  revision: string;
  render: RenderCode;
  eventsMax: number;
  tier: 'free' | 'commercial';
  /** Sealed URL and headers of a callback, otherwise ''. */
  target: string;
  createdAtMs: number;
  /** What was reported of this channel: where counting resumes when Redis has lost it. */
  dropped: Dropped;
  /** It still goes to the same URL: retries and the time since which it fails stay. */
  keepFailures: boolean;
  /** Why nothing is delivered to the callback, and since when. Events keep queueing. */
  stopped: { reason: StopReason; sinceMs: number } | undefined;
}

/** Events dropped undelivered since the channel was created, by reason (spec §8). */
export interface Dropped {
  size: number;
  age: number;
  failed: number;
}

/** A channel that has ended, and what it lost. */
export interface Closed {
  channelId: string;
  accountId: string;
  kind: ChannelKind;
  createdAtMs: number;
  closedAtMs: number;
  /** Events that were in its queue. */
  events: number;
  dropped: Dropped;
  /** The replica and connection that held it: they are informed. */
  holder: { owner: string; conn: string } | undefined;
}

export interface QueueState {
  kind: ChannelKind;
  /** A socket or poll is bound to it, or a callback is under way. */
  held: boolean;
  /** Address of the client whose socket or poll is bound to it; undefined also if it is unknown. */
  connectedFrom: string | undefined;
  events: number;
  bytes: number;
  oldestAtMs: number | undefined;
  dropped: Dropped;
  failuresInRow: number;
  failingSinceMs: number | undefined;
  /** When a socket or poll was bound to it last, or the channel was made. Without one, its time runs from then on (spec §8). */
  lastSeenAtMs: number | undefined;
}

/** The rule of spec §8 that ended a channel. */
export type ExpiryRule = 'idle' | 'failed' | 'stopped' | 'no-socket' | 'no-poll';

/** How soon an expired channel is looked at again, should its removal fail. */
const lookAgainMs = 60_000;

/** So many of a shard, and the next ones the next time. */
const looksAtOnce = 500;

/** Which channels there are, on the side of Redis. PostgreSQL has the truth; this can be made again from it. */
@Injectable()
export class ChannelRegistry {
  constructor(
    private readonly link: RedisLink,
    private readonly keys: Keys,
    @Inject(SharedClock) private readonly clock: Clock,
  ) {}

  /** Idempotent. The account's set comes first: from here on, events for all keys of the account find the channel. */
  async register(r: Registration): Promise<'created' | 'updated' | 'kept'> {
    await this.link.redis.sadd(this.keys.account(r.accountId), r.channelId);
    const args = [r.revision, r.accountId, r.kind, r.render, r.eventsMax, r.tier, r.target, r.createdAtMs];
    const { size, age, failed } = r.dropped;
    const stopped = [r.stopped?.reason ?? '', r.stopped?.sinceMs ?? ''];
    const more = [this.clock.now(), size, age, failed, r.keepFailures ? 1 : 0, ...stopped];
    const [outcome] = await this.run('register', r.channelId, [r.channelId, ...args, ...more]);
    return asText(outcome) as 'created' | 'updated' | 'kept';
  }

  /**
   * Nothing comes into its queue any more, and nothing goes. May be repeated. undefined: there is none, or one that was
   * registered under a later revision than `upTo`.
   */
  async close(channelId: string, upTo: string): Promise<Closed | undefined> {
    const reply = await this.run('close', channelId, [channelId, this.clock.now(), upTo]);
    if (reply.length === 0) return undefined;
    const [accountId, kind, created, closedAt, events, size, age, failed, owner, conn] = reply;
    return {
      channelId,
      accountId: asText(accountId),
      kind: asText(kind) as ChannelKind,
      createdAtMs: asNumber(created),
      closedAtMs: asNumber(closedAt),
      events: asNumber(events),
      dropped: { size: asNumber(size), age: asNumber(age), failed: asNumber(failed) },
      holder: asText(owner) ? { owner: asText(owner), conn: asText(conn) } : undefined,
    };
  }

  /** Channels that dropped something which is not reported yet. */
  async *dropping(): AsyncGenerator<string[]> {
    for (const { dropped } of this.keys.shards) yield this.link.redis.smembers(dropped);
  }

  /**
   * What a channel dropped, without what may be on its way. `reported`: the previous answer is reported; if it still
   * holds, `dropping` names the channel no more.
   */
  async drops(channelId: string, reported?: Dropped): Promise<{ createdAtMs: number; dropped: Dropped } | undefined> {
    const known = [reported?.size ?? '', reported?.age ?? '', reported?.failed ?? ''];
    const reply = await this.run('drops', channelId, [channelId, ...known]);
    if (reply.length === 0) return undefined;
    const [created, size, age, failed] = reply.map((part) => asNumber(part));
    return { createdAtMs: created ?? 0, dropped: { size: size ?? 0, age: age ?? 0, failed: failed ?? 0 } };
  }

  /** Unless it was registered under a later revision than `upTo`. */
  async remove(channelId: string, upTo: string): Promise<void> {
    const reply = await this.run('remove', channelId, [channelId, upTo]);
    const accountId = asText(reply[0]);
    if (!accountId) return;
    await this.leaveAccount(accountId, channelId);
    await this.link.redis.del(this.keys.ofChannel(channelId).last(channelId));
  }

  async inspect(channelId: string): Promise<QueueState | undefined> {
    const reply = await this.run('inspect', channelId, [this.clock.now() - eventLifeMs]);
    if (reply.length === 0) return undefined;
    const [kind, held, events, bytes, oldest, size, age, failed, attempt, since, address, lastSeen] = reply;
    return {
      kind: asText(kind) as ChannelKind,
      held: asNumber(held) === 1,
      connectedFrom: asText(address) || undefined,
      events: asNumber(events),
      bytes: asNumber(bytes),
      oldestAtMs: asText(oldest) ? asNumber(oldest) : undefined,
      dropped: { size: asNumber(size), age: asNumber(age), failed: asNumber(failed) },
      failuresInRow: asNumber(attempt),
      failingSinceMs: asText(since) ? asNumber(since) : undefined,
      lastSeenAtMs: asText(lastSeen) ? asNumber(lastSeen) : undefined,
    };
  }

  /** Channels that ended by a rule of time. They stay until removed. */
  async claimExpired(): Promise<{ channelId: string; rule: ExpiryRule }[]> {
    const found = await Promise.all(
      this.keys.shards.map(async (shard) => {
        const due = ['-inf', this.clock.now(), 'LIMIT', 0, looksAtOnce] as const;
        return this.claimExpiredOf(shard, await this.link.redis.zrangebyscore(shard.expiry, ...due), false);
      }),
    );
    return found.flat();
  }

  /** Whether that is so now. What was found before may have been overtaken by a registration, a socket, or a poll. */
  async isExpired(channelId: string): Promise<boolean> {
    return (await this.claimExpiredOf(this.keys.ofChannel(channelId), [channelId], true)).length > 0;
  }

  /** Of each of these channels, the revision that Redis has; '' when it has none, has closed it, or the account's set lacks it. */
  async revisions(channels: readonly Pick<Channel, 'keyId' | 'accountId'>[]): Promise<string[]> {
    const hashOf = (keyId: string): string => this.keys.ofChannel(keyId).channel(keyId);
    const [stored, isMember] = await Promise.all([
      this.link.together(channels.map(({ keyId }) => ['hmget', hashOf(keyId), 'rev', 'account'])),
      this.link.together(channels.map(({ keyId, accountId }) => ['sismember', this.keys.account(accountId), keyId])),
    ]);
    return stored.map((values, n) => {
      const [revision, account] = values as (string | null)[];
      return isMember[n] === 1 && account ? (revision ?? '') : '';
    });
  }

  /** The revision of a channel that Redis has; '' when it has none. */
  async revisionOf(channelId: string): Promise<string> {
    return (await this.link.redis.hget(this.keys.ofChannel(channelId).channel(channelId), 'rev')) ?? '';
  }

  /** Every channel that Redis knows. */
  async *all(): AsyncGenerator<string[]> {
    for (const shard of this.keys.shards) yield this.link.redis.zrange(shard.expiry, 0, -1);
  }

  /** Marks shards that have no mark: a Redis that lost everything has none. Returns the marks. */
  async generations(): Promise<string[]> {
    return Promise.all(
      this.keys.shards.map(async ({ positions }) => {
        const known = await this.link.redis.hget(positions, 'generation');
        // A full Redis accepts no mark, but has one already.
        if (known) return known;
        await this.link.redis.hsetnx(positions, 'generation', randomUUID());
        return (await this.link.redis.hget(positions, 'generation')) ?? '';
      }),
    );
  }

  /** Channels are found by their number modulo the number of shards: it cannot change once there are any. */
  async fixShardCount(): Promise<number> {
    const { redis } = this.link;
    const fixed = await redis.get(this.keys.shardCount);
    if (fixed) return Number(fixed);
    await redis.setnx(this.keys.shardCount, this.keys.shards.length);
    return Number(await redis.get(this.keys.shardCount));
  }

  /** The set has no revisions: a process that paused before this may remove what was registered again since. */
  private async leaveAccount(accountId: string, channelId: string): Promise<void> {
    const { redis } = this.link;
    const account = this.keys.account(accountId);
    await redis.srem(account, channelId);
    if (await redis.exists(this.keys.ofChannel(channelId).channel(channelId))) await redis.sadd(account, channelId);
  }

  private async run(name: CommandName, channelId: string, args: readonly Argument[]): Promise<Reply[]> {
    return asList(await this.link.run(name, this.keys.forCommand(channelId), args));
  }

  /** `atOnce`: of channels whose time to be looked at has not come, too. */
  private async claimExpiredOf(
    shard: ShardKeys,
    channelIds: readonly string[],
    atOnce: boolean,
  ): Promise<{ channelId: string; rule: ExpiryRule }[]> {
    if (channelIds.length === 0) return [];
    const limits = [idleMaxMs, failedDeliveryMaxMs, withoutSocketMaxMs, withoutPollMaxMs, stoppedMaxMs];
    const args = [this.clock.now(), lookAgainMs, ...limits, atOnce ? 1 : 0, ...channelIds];
    const reply = asList(await this.link.run('claim-expired', shard.forCommand(...channelIds), args));
    return asPairs(reply).map(([channelId, rule]) => ({ channelId, rule: rule as ExpiryRule }));
  }
}
