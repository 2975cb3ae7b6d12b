import type { StoredPositions } from '@lanyard/kafka';
import type { Clock } from '@lanyard/service';
import type { Keys } from '../queue/keys.js';
import type { RecentChunks } from '../queue/recent-chunks.js';
import { LinkLost, type RedisLink } from '../queue/redis-link.js';
import { accountsOf, deliveries, type Delivery } from './audience.js';
import type { IntakeBatch } from './intake-event.js';
import { type AppendOutcome, PositionsLost, ShardAppender, type Taker } from './shard-appender.js';

interface Waiting {
  batch: IntakeBatch;
  done: () => void;
  failed: (error: unknown) => void;
}

/** Events of one flush: bounds the size of one command. */
const flushEventsMax = 20_000;

/** While Redis writes one to its disk, the next is made. A partition has one batch at a time: they do not overlap. */
const flushesAtOnce = 2;

export interface IntakeListener {
  appended(outcome: AppendOutcome): void;
  /** Redis is not where it was. No topics: it lost everything. */
  positionsLost(topics: string[]): void;
}

/**
 * Batches of all partitions on their way into Redis. While flushes are under way the next one fills, so that the
 * rate decides how many events share one command, and nothing waits for a timer. A batch is done when every shard
 * has it.
 */
export class Intake implements StoredPositions {
  private readonly shards: readonly ShardAppender[];
  private waiting: Waiting[] = [];
  private underWay = 0;
  private open = false;
  private listener: IntakeListener | undefined;

  constructor(
    private readonly link: RedisLink,
    private readonly keys: Keys,
    clock: Clock,
    owner: string,
    recent: RecentChunks,
    taker?: Taker,
  ) {
    this.shards = keys.shards.map((shard) => new ShardAppender(link, shard, clock, owner, recent, taker));
  }

  listen(listener: IntakeListener): void {
    this.listener = listener;
  }

  /** Nothing is appended until `resume`: the channels are not all known to Redis. */
  pause(): void {
    this.open = false;
  }

  /**
   * Goes on from what Redis says now. `generations`: the marks of the shards. `reseek`: sends the consumers back to
   * the stored positions. What waited until now was fetched from positions that no longer hold: it is given up, for
   * appending it could leave a gap behind it.
   */
  resume(generations: readonly string[], reseek: () => void): void {
    this.shards.forEach((shard, n) => shard.setGeneration(generations[n] as string));
    reseek();
    for (const { failed } of this.waiting.splice(0)) failed(new LinkLost());
    this.open = true;
  }

  /** Resolves when the events are in the queues, for good. */
  add(batch: IntakeBatch): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ batch, done, failed });
      this.flushWaiting();
    });
  }

  /** The shard that is furthest behind decides; the others refuse what they have. */
  async read(topic: string, partitions: number[]): Promise<Map<number, bigint>> {
    const stored = await Promise.all(this.shards.map((shard) => shard.readPositions(topic, partitions)));
    return new Map(
      partitions.map((partition, n) => {
        const offsets = stored.map((ofShard) => ofShard[n] ?? -1n);
        return [partition, offsets.reduce((least, offset) => (offset < least ? offset : least)) + 1n];
      }),
    );
  }

  private flushWaiting(): void {
    while (this.underWay < flushesAtOnce && this.waiting.length > 0 && this.open) {
      this.underWay++;
      void this.flush(this.nextFlush()).finally(() => {
        this.underWay--;
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
    const batches = flush.map(({ batch }) => batch);
    try {
      const perShard = await this.audience(batches);
      const outcomes = await Promise.allSettled(
        this.shards.map(async (shard, n) => {
          const outcome = await shard.append(batches, perShard[n] ?? []);
          this.listener?.appended(outcome);
        }),
      );
      const failures = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason as unknown] : []));
      for (const failure of failures)
        if (failure instanceof PositionsLost) this.listener?.positionsLost(failure.topics);
      if (failures.length > 0) throw failures[0];
      for (const { done } of flush) done();
    } catch (error) {
      for (const { failed } of flush) failed(error);
    }
  }

  private async audience(batches: readonly IntakeBatch[]): Promise<Delivery[][]> {
    const accounts = [...accountsOf(batches)];
    const members = await Promise.all(accounts.map((id) => this.link.redis.smembers(this.keys.account(id))));
    const perShard: Delivery[][] = this.shards.map(() => []);
    const known = new Map(accounts.map((id, n) => [id, members[n] ?? []]));
    for (const delivery of deliveries(batches, known)) perShard[this.keys.shardOf(delivery.channelId)]?.push(delivery);
    return perShard;
  }
}
