import type { KafkaConnection } from '@lanyard/kafka';
import type { Clock, Logger, Timer } from '@lanyard/service';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { positionOf } from './audience.js';

/** Less than `beforeChannelSlackMs`: an event after a new channel's registration is never mistaken for an earlier one. */
const refreshPeriodMs = 5_000;

/** Ends that are kept of each partition. They cover more than an hour, for a consumer that is behind. */
const endsMax = 1_000;

/** The end that a partition had at some time. */
interface End {
  /** When Kafka was asked: messages at `offset` and beyond arrived later. Milliseconds since the epoch. */
  atMs: number;
  /** Offset that the next message of the partition gets. */
  offset: bigint;
}

/**
 * The times between which messages can have arrived in Kafka, whatever their producers' clocks say: a message beyond the
 * end that a partition had at some time arrived after that time, and no message arrives after it was read. For messages
 * from before the start of this replica, only the producer's clock says more.
 */
export class ArrivalTimes implements OnModuleInit, OnApplicationShutdown {
  private readonly ends = new Map<string, End[]>();
  private timer: Timer | undefined;
  private isRefreshing = false;

  constructor(
    private readonly kafka: Pick<KafkaConnection, 'offsets'>,
    private readonly topics: readonly string[],
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Rejects when Kafka does not answer. */
  async onModuleInit(): Promise<void> {
    await Promise.all(this.topics.map((topic) => this.readEnds(topic)));
    this.timer = this.clock.every(refreshPeriodMs, () => void this.refreshEnds());
  }

  onApplicationShutdown(): void {
    this.timer?.cancel();
  }

  /** The message with this offset arrived no earlier than this. -Infinity: nothing is known of its arrival. */
  earliestMs(topic: string, partition: number, offset: bigint): number {
    const ends = this.ends.get(positionOf({ topic, partition })) ?? [];
    // Nearly always the end is one of the last.
    let n = ends.length - 1;
    while (n >= 0 && (ends[n] as End).offset > offset) n--;
    return ends[n]?.atMs ?? -Infinity;
  }

  /** The messages that were read arrived no later than this. */
  latestMs(): number {
    return this.clock.now();
  }

  /** Records the end of a partition, which `positionOf` names. */
  private recordEnd(position: string, end: End): void {
    const ends = this.ends.get(position) ?? [];
    const last = ends.at(-1);
    // A topic that was deleted and created again counts from 0.
    if (last && last.offset > end.offset) ends.length = 0;
    else if (last?.offset === end.offset) ends.pop();
    ends.push(end);
    if (ends.length > endsMax) ends.shift();
    this.ends.set(position, ends);
  }

  private async readEnds(topic: string): Promise<void> {
    const atMs = this.clock.now();
    for (const [partition, { high }] of await this.kafka.offsets(topic))
      this.recordEnd(positionOf({ topic, partition }), { atMs, offset: high });
  }

  private async refreshEnds(): Promise<void> {
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    const reads = this.topics.map((topic) =>
      this.readEnds(topic).catch((err: unknown) =>
        this.logger.debug({ err, topic }, 'end of the partition could not be read from Kafka'),
      ),
    );
    await Promise.all(reads);
    this.isRefreshing = false;
  }
}
