import type { KafkaConnection, StoredPositions } from '@lanyard/kafka';
import type { Logger } from '@lanyard/service';
import type { Intake } from './intake.js';

/** Positions for the consumers: those that Redis has, unless Kafka lost what leads up to them. */
export class KafkaPositions implements StoredPositions {
  constructor(
    private readonly intake: Pick<Intake, 'read' | 'setBack'>,
    private readonly kafka: Pick<KafkaConnection, 'offsets'>,
    private readonly logger: Logger,
    private readonly onSetBack: (topic: string) => void,
  ) {}

  async read(topic: string, partitions: number[]): Promise<Map<number, bigint>> {
    for (const partition of await this.intake.setBack(topic, partitions, () => this.kafka.offsets(topic))) {
      this.logger.error({ topic, partition }, 'Kafka lost messages: the partition is read from its beginning');
      this.onSetBack(topic);
    }
    return this.intake.read(topic, partitions);
  }
}
