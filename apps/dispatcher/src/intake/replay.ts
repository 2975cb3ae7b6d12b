import { type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { Keys } from '../queue/keys.js';
import type { RedisLink } from '../queue/redis-link.js';
import { INTAKE_LINK } from '../queue/tokens.js';
import { positionOf } from './audience.js';
import type { IntakeBatch } from './intake-event.js';

/** What is left to read again of a partition: offsets [next, end). */
interface OffsetRange {
  next: bigint;
  end: bigint;
}

/**
 * Messages that are read again because Redis had no positions. They may have been delivered before. The end of each range is
 * kept in Redis, so that a replica which gets the partition later knows it too.
 */
@Injectable()
export class Replay {
  /** By topic, of the partitions of this replica. */
  private readonly topics = new Map<string, Map<number, OffsetRange>>();

  constructor(
    @Inject(INTAKE_LINK) private readonly link: RedisLink,
    private readonly keys: Keys,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Redis has no position: the messages in [from, end) are read again. `passedOver`: number of older messages, which are not. */
  async begin(topic: string, partition: number, { next: from, end }: OffsetRange, passedOver: bigint): Promise<void> {
    await this.link.redis.hset(this.keys.replay, positionOf({ topic, partition }), String(end));
    const about = { topic, partition, from: String(from), messages: String(end - from) };
    this.logger.warn(
      { ...about, passedOver: String(passedOver) },
      'Redis has no position: the partition is read again',
    );
  }

  /** Sets the partitions that this replica has now, and the next offset to be read of each. */
  async assign(topic: string, next: ReadonlyMap<number, bigint>): Promise<void> {
    const fields = [...next.keys()].map((partition) => positionOf({ topic, partition }));
    const ends = fields.length > 0 ? await this.link.redis.hmget(this.keys.replay, ...fields) : [];
    const left = new Map<number, OffsetRange>();
    [...next].forEach(([partition, from], n) => {
      const end = BigInt(ends[n] ?? 0);
      if (from < end) left.set(partition, { next: from, end });
    });
    this.topics.set(topic, left);
  }

  /** Whether all messages of the batch are read again. */
  covers({ topic, partition, lastOffset }: IntakeBatch): boolean {
    const left = this.topics.get(topic)?.get(partition);
    return left !== undefined && lastOffset < left.end;
  }

  /** Records that these batches are in the queues. */
  recordAppended(batches: readonly IntakeBatch[]): void {
    for (const { topic, partition, lastOffset } of batches) {
      const left = this.topics.get(topic)?.get(partition);
      if (!left) continue;
      left.next = lastOffset + 1n;
      if (left.next < left.end) continue;
      this.topics.get(topic)?.delete(partition);
      this.logger.info({ topic, partition }, 'the partition has been read again');
    }
  }

  /** Number of messages of each topic that this replica has yet to read again. */
  left(): Map<string, number> {
    return new Map(
      [...this.topics].map(([topic, partitions]) => [
        topic,
        [...partitions.values()].reduce((sum, { next, end }) => sum + Number(end - next), 0),
      ]),
    );
  }
}
