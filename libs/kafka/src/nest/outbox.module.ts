import { type CommonConfig, CONFIG, type Logger, LOGGER, Metrics, StopDeadline } from '@lanyard/service';
import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { KafkaConnection } from '../connection/kafka-connection.js';
import { AuditTrail } from '../outbox/audit-trail.js';
import { Outbox, outboxProducer } from '../outbox/outbox.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import { KafkaProducer } from '../producer/kafka-producer.js';

const PRODUCER = Symbol('OutboxProducer');

/** The outbox of the app's database schema, its audit trail, and the relay that sends it to Kafka. */
@Module({})
export class OutboxModule implements OnApplicationBootstrap, OnApplicationShutdown {
  /** `source`: the app, as consumers see it. The initial migration of the schema runs `outboxTable`. */
  static forRoot(schema: string, source: string): DynamicModule {
    return {
      module: OutboxModule,
      global: true,
      providers: [
        { provide: Outbox, useFactory: () => new Outbox(schema, source) },
        { provide: AuditTrail, inject: [Outbox], useFactory: (outbox: Outbox) => new AuditTrail(outbox) },
        {
          provide: PRODUCER,
          inject: [KafkaConnection],
          useFactory: async (connection: KafkaConnection) => {
            const producer = new KafkaProducer(connection, { source, name: outboxProducer(schema) });
            await producer.connect();
            return producer;
          },
        },
        {
          provide: OutboxRelay,
          inject: [CONFIG, PRODUCER, LOGGER, Metrics],
          useFactory: ({ secrets }: CommonConfig, producer: KafkaProducer, logger: Logger, metrics: Metrics) =>
            new OutboxRelay({ databaseUrl: secrets.databaseUrl, schema, producer, logger, metrics }),
        },
      ],
      exports: [Outbox, AuditTrail],
    };
  }

  constructor(
    @Inject(PRODUCER) private readonly producer: KafkaProducer,
    @Inject(OutboxRelay) private readonly relay: OutboxRelay,
    @Inject(StopDeadline) private readonly deadline: StopDeadline,
    @Inject(Outbox) outbox: Outbox,
  ) {
    outbox.connect(relay);
  }

  onApplicationBootstrap(): void {
    this.relay.start();
  }

  /** Sends what is stored, as far as Kafka accepts it; the next replica to start sends the rest. */
  async onApplicationShutdown(): Promise<void> {
    await this.deadline.step('outbox', () => this.relay.stop());
    await this.deadline.step('outbox producer', () => this.producer.disconnect());
  }
}
