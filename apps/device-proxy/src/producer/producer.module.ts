import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { StopDeadline } from '@lanyard/service';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { app } from '../config.js';
import { paceMs } from '../db/pace.js';

/**
 * The producer of values and sessions, which every replica sends. The outbox relay has a separate one, whose name all
 * replicas share: Kafka accepts announcements only from the replica that took the name over last (docs/adr/0017).
 */
@Module({
  providers: [
    {
      provide: KafkaProducer,
      inject: [KafkaConnection],
      useFactory: async (connection: KafkaConnection) => {
        const producer = new KafkaProducer(connection, { source: app, paceMs });
        await producer.connect();
        return producer;
      },
    },
  ],
  exports: [KafkaProducer],
})
export class ProducerModule implements OnApplicationShutdown {
  constructor(
    private readonly producer: KafkaProducer,
    private readonly deadline: StopDeadline,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.deadline.step('producer', () => this.producer.disconnect());
  }
}
