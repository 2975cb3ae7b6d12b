import { KafkaConnection, type StoredPositions } from '@lanyard/kafka';
import { type Clock, CONFIG, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DispatcherConfig } from '../config.js';
import { Telemetry } from '../delivery/telemetry.js';
import { SharedClock } from '../queue/shared-clock.js';
import { Intake } from './intake.js';
import { Replay } from './replay.js';

/** Positions for the consumers: those in Redis, unless Kafka lost the messages before them, or Redis has none. */
@Injectable()
export class KafkaPositions implements StoredPositions {
  constructor(
    private readonly intake: Intake,
    private readonly kafka: KafkaConnection,
    private readonly replay: Replay,
    private readonly telemetry: Telemetry,
    @Inject(CONFIG) private readonly config: DispatcherConfig,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async read(topic: string, partitions: number[]): Promise<Map<number, bigint>> {
    for (const partition of await this.intake.rewind(topic, partitions, () => this.kafka.offsets(topic))) {
      this.logger.error({ topic, partition }, 'Kafka lost messages: the partition is read from its beginning');
      this.telemetry.offsetsRewound(topic);
    }
    const next = await this.intake.nextOffsets(topic, partitions);
    const unknown = partitions.filter((partition) => next.get(partition) === 0n);
    if (unknown.length > 0) await this.findStart(topic, unknown, next);
    await this.replay.assign(topic, next);
    return next;
  }

  /** For partitions of which a shard has no position: sets `next` to the oldest message that may still have to be delivered. */
  private async findStart(topic: string, partitions: readonly number[], next: Map<number, bigint>): Promise<void> {
    const [inKafka, recent] = await Promise.all([
      this.kafka.offsets(topic),
      this.kafka.offsetsAt(topic, this.clock.now() - this.config.replayMaxMs),
    ]);
    for (const partition of partitions) {
      const { low, high: end } = inKafka.get(partition) ?? { low: 0n, high: 0n };
      if (low >= end) continue;
      const since = recent.get(partition) ?? low;
      const from = since < low ? low : since > end ? end : since;
      next.set(partition, from);
      await this.replay.begin(topic, partition, { next: from, end }, from - low);
    }
  }
}
