import type { KafkaConnection, StoredPositions } from '@lanyard/kafka';
import type { Clock, Logger } from '@lanyard/service';
import type { Intake } from './intake.js';
import type { Replay } from './replay.js';

interface KafkaPositionsParts {
  intake: Pick<Intake, 'read' | 'setBack'>;
  kafka: Pick<KafkaConnection, 'offsets' | 'offsetsAt'>;
  replay: Replay;
  /** How old a message may be that is read again because Redis has no position. */
  replayMaxMs: number;
  clock: Clock;
  logger: Logger;
  onSetBack: (topic: string) => void;
}

/** Positions for the consumers: those that Redis has, unless Kafka lost what leads up to them, or Redis has none. */
export class KafkaPositions implements StoredPositions {
  constructor(private readonly parts: KafkaPositionsParts) {}

  async read(topic: string, partitions: number[]): Promise<Map<number, bigint>> {
    const { intake, kafka, logger, onSetBack, replay } = this.parts;
    for (const partition of await intake.setBack(topic, partitions, () => kafka.offsets(topic))) {
      logger.error({ topic, partition }, 'Kafka lost messages: the partition is read from its beginning');
      onSetBack(topic);
    }
    const next = await intake.read(topic, partitions);
    const unknown = partitions.filter((partition) => next.get(partition) === 0n);
    if (unknown.length > 0) await this.findStart(topic, unknown, next);
    await replay.assign(topic, next);
    return next;
  }

  /** Of partitions that a shard knows nothing of: the oldest message that may still have to be delivered. */
  private async findStart(topic: string, partitions: readonly number[], next: Map<number, bigint>): Promise<void> {
    const { kafka, replay, replayMaxMs, clock } = this.parts;
    const [inKafka, recent] = await Promise.all([
      kafka.offsets(topic),
      kafka.offsetsAt(topic, clock.now() - replayMaxMs),
    ]);
    for (const partition of partitions) {
      const { low, high } = inKafka.get(partition) ?? { low: 0n, high: 0n };
      if (low === high) continue;
      const since = recent.get(partition) ?? low;
      const from = since < low ? low : since > high ? high : since;
      next.set(partition, from);
      await replay.begin(topic, partition, { next: from, end: high }, from - low);
    }
  }
}
