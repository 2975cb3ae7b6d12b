import { type Service, topicsOf } from '@lanyard/contracts';
import { type CommonConfig, CONFIG, Health, type Logger, LOGGER, Metrics, StopDeadline } from '@lanyard/service';
import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { KafkaConnection } from '../connection/kafka-connection.js';
import { KafkaBatchServer } from './kafka-batch-server.js';

export interface KafkaModuleOptions {
  /** Consumer group of the @OnBatch methods. The topics that it reads or writes are created when they are not there. */
  app: Service;
  /** Whether the app is not ready while no broker answers. */
  isReadinessCheck?: boolean;
}

const OPTIONS = Symbol('KafkaModuleOptions');

/** The connection to Kafka and the consumers of the app's @OnBatch methods. Consumers stop before HTTP does. */
@Module({})
export class KafkaModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  static forRoot(options: KafkaModuleOptions): DynamicModule {
    const { app } = options;
    return {
      module: KafkaModule,
      global: true,
      providers: [
        {
          provide: KafkaConnection,
          inject: [CONFIG, LOGGER, Metrics],
          useFactory: async ({ kafka, replicaId }: CommonConfig, logger: Logger, metrics: Metrics) => {
            const connection = new KafkaConnection({ ...kafka, clientId: replicaId, logger, metrics });
            await connection.ensureTopics(topicsOf(app));
            return connection;
          },
        },
        {
          provide: KafkaBatchServer,
          inject: [KafkaConnection],
          useFactory: (connection: KafkaConnection) => new KafkaBatchServer(connection, app),
        },
        { provide: OPTIONS, useValue: options },
      ],
      exports: [KafkaConnection, KafkaBatchServer],
    };
  }

  constructor(
    @Inject(KafkaConnection) private readonly connection: KafkaConnection,
    @Inject(KafkaBatchServer) private readonly consumers: KafkaBatchServer,
    @Inject(StopDeadline) private readonly deadline: StopDeadline,
    @Inject(Health) health: Health,
    @Inject(OPTIONS) { isReadinessCheck }: KafkaModuleOptions,
  ) {
    if (isReadinessCheck) health.add('kafka', () => connection.check());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.deadline.step('kafka consumers', () => this.consumers.close());
  }

  async onApplicationShutdown(): Promise<void> {
    await this.deadline.step('kafka', () => this.connection.close());
  }
}
