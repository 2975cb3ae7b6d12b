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
import { readHead, sliceEvents } from './chunk.js';
import { Keys, type ShardKeys } from './keys.js';
import { type Argument, isWrongType, RedisLink, type Reply } from './redis-link.js';
import { asList, asNumber, asPairs, asText } from './reply.js';
import type { CommandName } from './scripts.js';
import { SharedClock } from './shared-clock.js';

/** What Redis must know about a channel to fill and empty its queue. */
export interface Registration extends Pick<Channel, 'accountId' | 'kind' | 'revision' | 'tier'> {
  channelId: string;
  render: RenderCode;
  eventsMax: number;
  /** Sealed URL and headers of a callback, otherwise ''. */
  target: string;
  createdAtMs: number;
  /** Drops reported for this channel: counting resumes from these when Redis has lost it. */
  dropped: Dropped;
  /** The URL is the same: the number of failures, and the time of the first one, are kept. */
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
  /** A socket or poll is bound to the channel, or a callback is under way. */
  held: boolean;
  /** Address of the client whose socket or poll is bound to the channel; undefined also if the address is unknown. */
  connectedFrom: string | undefined;
  events: number;
  bytes: number;
  oldestAtMs: number | undefined;
  dropped: Dropped;
  failuresInRow: number;
  failingSinceMs: number | undefined;
  /**
   * When a socket or poll was last bound to the channel, or the channel was created. While it has none, the time after
   * which it is removed counts from then (spec §8).
   */
  lastSeenAtMs: number | undefined;
}

/** The rule of spec §8 that ended a channel. */
export type ExpiryRule = 'idle' | 'failed' | 'stopped' | 'no-socket' | 'no-poll';

/** How soon an expired channel is checked again if its removal fails. */
const checkAgainMs = 60_000;

/** How many channels of a shard are checked at once; the next check takes the next ones. */
const checkedAtOnce = 500;

/** The channels that Redis knows. PostgreSQL is the source of truth, from which these can be rebuilt. */
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
   * From here on nothing is added to the channel's queue, and nothing is delivered from it. May be repeated. undefined: there
   * is no such channel, or it was registered under a later revision than `upTo`.
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

  /** Channels with drops that are not reported yet. */
  async *dropping(): AsyncGenerator<string[]> {
    for (const { dropped } of this.keys.shards) yield this.link.redis.smembers(dropped);
  }

  /**
   * What a channel dropped, without what may be on its way. `reported`: the previous answer, which is now reported; if it
   * still holds, `dropping` no longer names the channel.
   */
  async drops(channelId: string, reported?: Dropped): Promise<{ createdAtMs: number; dropped: Dropped } | undefined> {
    const known = [reported?.size ?? '', reported?.age ?? '', reported?.failed ?? ''];
    const reply = await this.run('drops', channelId, [channelId, ...known]);
    if (reply.length === 0) return undefined;
    const [created, size, age, failed] = reply.map((part) => asNumber(part));
    return { createdAtMs: created ?? 0, dropped: { size: size ?? 0, age: age ?? 0, failed: failed ?? 0 } };
  }

  /**
   * Removes the channel, unless it was registered under a later revision than `upTo`. The account's set comes first: the channel,
   * which names its account, may then be removed once more. One that was registered again meanwhile is put back into the set.
   */
  async remove(channelId: string, upTo: string): Promise<void> {
    const { redis } = this.link;
    const shard = this.keys.ofChannel(channelId);
    const fields = ['account', 'endedAccount', 'rev'] as const;
    const [current, ended, revision] = await redis.hmget(shard.channel(channelId), ...fields);
    const accountId = ended || current;
    if (!accountId || BigInt(revision ?? 0) > BigInt(upTo)) return;
    const account = this.keys.account(accountId);
    await redis.srem(account, channelId);
    await this.run('remove', channelId, [channelId, upTo]);
    if (await redis.exists(shard.channel(channelId))) await redis.sadd(account, channelId);
    else await redis.del(shard.last(channelId));
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

  /** Whether this event, in the bytes in which it is sent, is among those that are stored together at the head of the queue. */
  async isAtHead(channelId: string, event: Buffer): Promise<boolean> {
    const shard = this.keys.ofChannel(channelId);
    const skip = Number(await this.link.redis.hget(shard.channel(channelId), 'skip'));
    const chunk = await this.link.redis.lindexBuffer(shard.queue(channelId), 0);
    const left = chunk ? readHead(chunk).count - skip : 0;
    return chunk !== null && left > 0 && sliceEvents(chunk, skip, left).includes(event);
  }

  /** Channels that ended by a rule of time. They stay until removed. */
  async claimExpired(): Promise<{ channelId: string; rule: ExpiryRule }[]> {
    const found = await Promise.all(
      this.keys.shards.map(async (shard) => {
        const due = ['-inf', this.clock.now(), 'LIMIT', 0, checkedAtOnce] as const;
        return this.claimExpiredOf(shard, await this.link.redis.zrangebyscore(shard.expiry, ...due), false);
      }),
    );
    return found.flat();
  }

  /** Whether the channel is expired now: since it was found, a registration, a socket or a poll may have renewed it. */
  async isExpired(channelId: string): Promise<boolean> {
    return (await this.claimExpiredOf(this.keys.ofChannel(channelId), [channelId], true)).length > 0;
  }

  /**
   * For each channel, the revision in Redis; '' when Redis lacks or has closed the channel, its key was replaced by hand, or
   * the account's set lacks it.
   */
  async revisions(channels: readonly Pick<Channel, 'keyId' | 'accountId'>[]): Promise<string[]> {
    const hashOf = (keyId: string): string => this.keys.ofChannel(keyId).channel(keyId);
    const [stored, isMember] = await Promise.all([
      this.link.together(
        channels.map(({ keyId }) => ['hmget', hashOf(keyId), 'rev', 'account']),
        (error) => (isWrongType(error) ? [] : undefined),
      ),
      this.link.together(channels.map(({ keyId, accountId }) => ['sismember', this.keys.account(accountId), keyId])),
    ]);
    return stored.map((values, n) => {
      const [revision, account] = values as (string | null)[];
      return isMember[n] === 1 && account ? (revision ?? '') : '';
    });
  }

  /** The revision of a channel that Redis has; '' when it has none. */
  async revisionOf(channelId: string): Promise<string> {
    const key = this.keys.ofChannel(channelId).channel(channelId);
    const revision = await this.link.redis.hget(key, 'rev').catch((error: Error) => {
      if (isWrongType(error)) return null;
      throw error;
    });
    return revision ?? '';
  }

  /** Every channel that Redis knows. */
  async *all(): AsyncGenerator<string[]> {
    for (const shard of this.keys.shards) yield this.link.redis.zrange(shard.expiry, 0, -1);
  }

  /**
   * The generation of each shard: a random id that the shard keeps until Redis loses it. A shard that has none, such as
   * after Redis has lost everything, gets one.
   */
  async generations(): Promise<string[]> {
    return Promise.all(
      this.keys.shards.map(async ({ positions }) => {
        const known = await this.link.redis.hget(positions, 'generation');
        // Read first, because a full Redis has one but accepts no write.
        if (known) return known;
        await this.link.redis.hsetnx(positions, 'generation', randomUUID());
        return (await this.link.redis.hget(positions, 'generation')) ?? '';
      }),
    );
  }

  /** The shard of a channel depends on the number of shards, which therefore cannot change once there are channels. */
  async fixShardCount(): Promise<number> {
    const { redis } = this.link;
    const fixed = await redis.get(this.keys.shardCount);
    if (fixed) return Number(fixed);
    await redis.setnx(this.keys.shardCount, this.keys.shards.length);
    return Number(await redis.get(this.keys.shardCount));
  }

  private async run(name: CommandName, channelId: string, args: readonly Argument[]): Promise<Reply[]> {
    return asList(await this.link.run(name, this.keys.forCommand(channelId), args));
  }

  /** `atOnce`: also checks channels whose next check is not due yet. */
  private async claimExpiredOf(
    shard: ShardKeys,
    channelIds: readonly string[],
    atOnce: boolean,
  ): Promise<{ channelId: string; rule: ExpiryRule }[]> {
    if (channelIds.length === 0) return [];
    const limits = [idleMaxMs, failedDeliveryMaxMs, withoutSocketMaxMs, withoutPollMaxMs, stoppedMaxMs];
    const args = [this.clock.now(), checkAgainMs, ...limits, atOnce ? 1 : 0, ...channelIds];
    const reply = asList(await this.link.run('claim-expired', shard.forCommand(...channelIds), args));
    return asPairs(reply).map(([channelId, rule]) => ({ channelId, rule: rule as ExpiryRule }));
  }
}
