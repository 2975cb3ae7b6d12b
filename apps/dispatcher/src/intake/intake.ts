import type { Clock, Timer } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { Keys } from '../queue/keys.js';
import { LinkLost, type RedisLink } from '../queue/redis-link.js';
import { SharedClock } from '../queue/shared-clock.js';
import { KeyScopes } from '../keys/key-scopes.js';
import { INTAKE_LINK } from '../queue/tokens.js';
import { accountsWithBroadcasts, channelEvents, type ChannelEvents, positionOf } from './audience.js';
import { AppendNotifier } from './append-notifier.js';
import type { IntakeBatch } from './intake-event.js';
import { flushSlices } from './flush-slices.js';
import { Replay } from './replay.js';
import { lagMaxMs, PositionsLost, type ShardAppender } from './shard-appender.js';
import { ShardAppenders } from './shard-appenders.js';

interface Waiting {
  batch: IntakeBatch;
  /** Whether the positions of all shards must move, including those that get nothing. */
  mustMove: boolean;
  done: () => void;
  failed: (error: unknown) => void;
}

/** Events of one flush. Bounds the size of one command, as `flushBytesMax` does for events of many channels. */
const flushEventsMax = 20_000;

/** A batch of this many events does not wait for others: while Redis runs its command, the next one is built. */
const smallBatchEvents = 200;

/**
 * While Redis writes one flush to its disk, the next one is built. Two flushes never have events of the same partition,
 * because a partition has one batch at a time.
 */
const flushesAtOnce = 2;

/**
 * Batches of all partitions on their way into Redis. While flushes are under way the next one fills, so that the
 * rate decides how many events share one command, and nothing waits for a timer. A batch is done when every shard
 * has it.
 */
@Injectable()
export class Intake {
  private readonly shards: readonly ShardAppender[];
  private waiting: Waiting[] = [];
  private inFlight = 0;
  private open = false;
  /** How often the intake resumed from the positions in Redis. */
  private resumeCount = 0;
  private readonly positionsLostListeners: ((topics: readonly string[]) => void)[] = [];
  /** The last batch of each partition, without its events: up to it, shards that got nothing may move. */
  private readonly lastAppended = new Map<string, IntakeBatch>();
  private catchingUp: Timer | undefined;
  private flushing: NodeJS.Immediate | undefined;

  constructor(
    @Inject(INTAKE_LINK) private readonly link: RedisLink,
    private readonly keys: Keys,
    @Inject(SharedClock) private readonly clock: Clock,
    appenders: ShardAppenders,
    private readonly replay: Replay,
    @Inject(AppendNotifier) private readonly notifier: Pick<AppendNotifier, 'appended'>,
    @Inject(KeyScopes) private readonly scopes: Pick<KeyScopes, 'maySee'>,
  ) {
    this.shards = appenders.all;
  }

  /** `listener` is called when Redis has lost positions. If it gets no topics, Redis has lost everything. */
  onPositionsLost(listener: (topics: readonly string[]) => void): void {
    this.positionsLostListeners.push(listener);
  }

  /** Nothing is appended until `resume`: Redis may not know all channels. */
  pause(): void {
    this.open = false;
  }

  /**
   * Resumes from the positions in Redis. `generations`: those of the shards, in their order. `reseek`: sends the
   * consumers back to the stored positions. Batches that waited until now were fetched from positions that no longer
   * hold: they are rejected with LinkLost, because appending them could leave a gap.
   */
  resume(generations: readonly string[], reseek: () => void): void {
    this.resumeCount++;
    this.lastAppended.clear();
    this.shards.forEach((shard, n) => shard.setGeneration(generations[n] as string));
    reseek();
    for (const { failed } of this.waiting.splice(0)) failed(new LinkLost());
    this.open = true;
  }

  /** Resolves when the events are durably stored in the queues. */
  add(batch: IntakeBatch): Promise<void> {
    return this.put(batch, false);
  }

  /**
   * Next offset to read of each partition. The shard that is furthest behind decides; the others refuse what they already have.
   */
  async nextOffsets(topic: string, partitions: readonly number[]): Promise<Map<number, bigint>> {
    const stored = await Promise.all(this.shards.map((shard) => shard.storedPositions(topic, partitions)));
    return new Map(
      partitions.map((partition, n) => {
        const offsets = stored.map((ofShard) => ofShard[n] ?? -1n);
        return [partition, offsets.reduce((least, offset) => (offset < least ? offset : least)) + 1n];
      }),
    );
  }

  /**
   * Kafka may have lost messages, and assign their offsets to others: where a shard is ahead of Kafka, all shards go back to
   * the first message in Kafka. A shard cannot tell which messages it has appended already: better twice than never. Returns
   * the partitions. `offsets`: [low, high) of each, asked for after the positions were read, so that they can only be later.
   */
  async rewind(
    topic: string,
    partitions: readonly number[],
    offsets: () => Promise<ReadonlyMap<number, { low: bigint; high: bigint }>>,
  ): Promise<number[]> {
    const stored = await Promise.all(this.shards.map((shard) => shard.readPositions(topic, partitions)));
    const inKafka = await offsets();
    const lost: number[] = [];
    for (const [n, partition] of partitions.entries()) {
      const has = inKafka.get(partition);
      if (!has || stored.every((ofShard) => (ofShard[n] ?? -1n) < has.high)) continue;
      const position = positionOf({ topic, partition });
      this.lastAppended.delete(position);
      await Promise.all(this.shards.map((shard, s) => shard.rewind(position, stored[s]?.[n] ?? -1n, has.low - 1n)));
      lost.push(partition);
    }
    return lost;
  }

  private put(batch: IntakeBatch, mustMove: boolean): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ batch, mustMove, done, failed });
      if (batch.events.length < smallBatchEvents) this.flushSoon();
      else this.flushWaiting();
    });
  }

  /** Waits for the other batches of the same answer of Kafka, so that small ones are flushed together. */
  private flushSoon(): void {
    this.flushing ??= setImmediate(() => {
      this.flushing = undefined;
      this.flushWaiting();
    });
  }

  private flushWaiting(): void {
    while (this.inFlight < flushesAtOnce && this.waiting.length > 0 && this.open) {
      this.inFlight++;
      void this.flush(this.nextFlush()).finally(() => {
        this.inFlight--;
        this.flushWaiting();
      });
    }
  }

  private nextFlush(): Waiting[] {
    let events = 0;
    const count = this.waiting.findIndex(({ batch }) => (events += batch.events.length) > flushEventsMax);
    return this.waiting.splice(0, count < 0 ? this.waiting.length : Math.max(1, count));
  }

  private async flush(flush: readonly Waiting[]): Promise<void> {
    const { resumeCount } = this;
    const batches = flush.map(({ batch }) => batch);
    const mustMove = flush.some((each) => each.mustMove);
    try {
      const members = await this.members(batches);
      for (const slice of flushSlices(batches, members)) {
        // The slices that are left were fetched from positions that no longer hold, as the waiting batches were.
        if (resumeCount !== this.resumeCount) throw new LinkLost();
        await this.append(slice, this.eventsPerShard(slice, members), mustMove);
      }
      // Redis may have lost the events since. They are read again, and refused if they are stored.
      if (resumeCount !== this.resumeCount) throw new LinkLost();
      this.recordAppended(flush.flatMap(({ batch, mustMove: isCatchingUp }) => (isCatchingUp ? [] : [batch])));
      for (const { done } of flush) done();
    } catch (error) {
      for (const { failed } of flush) failed(error);
    }
  }

  private async append(batches: readonly IntakeBatch[], perShard: ChannelEvents[][], mustMove: boolean): Promise<void> {
    const isReplay = batches.some((batch) => this.replay.covers(batch));
    const outcomes = await Promise.allSettled(
      this.shards.map(async (shard, n) => {
        const outcome = await shard.append(batches, perShard[n] ?? [], mustMove);
        this.notifier.appended(outcome, isReplay);
      }),
    );
    const failures = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason as unknown] : []));
    for (const failure of failures)
      if (failure instanceof PositionsLost)
        for (const listener of this.positionsLostListeners) listener(failure.topics);
    if (failures.length > 0) throw failures[0];
  }

  private recordAppended(batches: readonly IntakeBatch[]): void {
    if (batches.length === 0) return;
    this.replay.recordAppended(batches);
    for (const batch of batches) this.lastAppended.set(positionOf(batch), { ...batch, events: [] });
    this.catchingUp ??= this.clock.after(lagMaxMs, () => this.catchUp());
  }

  /** Moves positions that lag behind, even if no further events arrive. */
  private catchUp(): void {
    this.catchingUp = undefined;
    const behind = [...this.lastAppended.values()];
    this.lastAppended.clear();
    // A batch that fails is read again, and refused.
    for (const batch of behind) this.put(batch, true).catch(() => undefined);
  }

  /** Channels of the accounts in which every channel gets something. */
  private async members(batches: readonly IntakeBatch[]): Promise<Map<string, string[]>> {
    const accounts = [...accountsWithBroadcasts(batches)];
    const members = await Promise.all(accounts.map((id) => this.link.redis.smembers(this.keys.account(id))));
    return new Map(accounts.map((id, n) => [id, members[n] ?? []]));
  }

  private eventsPerShard(batches: readonly IntakeBatch[], members: ReadonlyMap<string, string[]>): ChannelEvents[][] {
    const perShard: ChannelEvents[][] = this.shards.map(() => []);
    for (const channel of channelEvents(batches, members, this.scopes.maySee))
      perShard[this.keys.shardOf(channel.channelId)]?.push(channel);
    return perShard;
  }
}
