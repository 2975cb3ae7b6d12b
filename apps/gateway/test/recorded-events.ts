import { DeviceEvents, type DeviceEventReported } from '@lanyard/contracts';
import { BatchConsumer, KafkaConnection } from '@lanyard/kafka';
import { createLogger } from '@lanyard/service';
import type { TestSystem } from './test-system.js';

/** Everything that the gateway announces on device.events, as a consumer reads it. */
export class RecordedEvents {
  private constructor(
    readonly all: readonly DeviceEventReported[],
    private readonly kafka: KafkaConnection,
    private readonly consumer: BatchConsumer<DeviceEventReported>,
  ) {}

  static async of(gateway: TestSystem): Promise<RecordedEvents> {
    const { brokers, topicPrefix } = gateway.config().kafka;
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    const kafka = new KafkaConnection({ brokers, topicPrefix, clientId: 'test', logger });
    const all: DeviceEventReported[] = [];
    const consumer = new BatchConsumer(kafka, {
      topic: DeviceEvents,
      group: 'test',
      onFatal: () => undefined,
      handler: async (batch) => void all.push(...batch.messages.map((m) => m.value)),
    });
    await consumer.start();
    return new RecordedEvents(all, kafka, consumer);
  }

  async stop(): Promise<void> {
    await this.consumer.stop();
    await this.kafka.close();
  }
}
