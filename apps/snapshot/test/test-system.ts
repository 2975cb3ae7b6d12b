import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import {
  createLogger,
  identityHeader,
  newId,
  openDatabase,
  type RunningService,
  signIdentity,
  startService,
} from '@lanyard/service';
import { infrastructure, type Isolation, isolate, newIdentityKeys } from '@lanyard/testing';
import type { Type } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { definition } from '../src/app.module.js';
import { readConfig } from '../src/config.js';

const identityKeys = newIdentityKeys();

/** A snapshot service on real infrastructure, in a corner of its own. */
export class TestSystem {
  readonly accountId = newId();

  private constructor(
    readonly isolation: Isolation,
    private readonly service: RunningService,
    readonly kafka: KafkaConnection,
    readonly producer: KafkaProducer,
    readonly database: DataSource,
  ) {}

  static async start(name: string): Promise<TestSystem> {
    const isolation = await isolate(name);
    const config = readConfig({
      KAFKA_BROKERS: infrastructure().brokers.join(','),
      KAFKA_TOPIC_PREFIX: isolation.topicPrefix,
      DATABASE_URL: isolation.databaseUrl,
      ...identityKeys.serviceEnv,
      LOG_LEVEL: 'error',
    });
    const service = await startService(definition, config);
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'error' });
    const kafka = new KafkaConnection({ ...config.kafka, clientId: 'test', logger });
    const producer = new KafkaProducer(kafka, { source: 'test' });
    await producer.connect();
    const database = await openDatabase({
      url: isolation.databaseUrl,
      schema: 'snapshot',
      entities: [],
      migrations: [],
      applicationName: 'test',
    });
    return new TestSystem(isolation, service, kafka, producer, database);
  }

  /** What the service is made of. */
  part<T>(type: Type<T>): T {
    return this.service.app.get(type, { strict: false });
  }

  get url(): string {
    return this.service.url;
  }

  call(path: string, accountId = this.accountId, method = 'GET'): Promise<Response> {
    const identity = {
      accountId,
      keyId: newId(),
      groups: [],
      permissions: ['devices'],
      tier: 'commercial' as const,
      requestId: 'r',
    };
    const token = signIdentity(identity, 'snapshot', identityKeys.privateKey, Date.now());
    return fetch(this.service.url + path, { method, headers: { [identityHeader]: token } });
  }

  async stop(): Promise<void> {
    await this.database.destroy();
    await this.producer.disconnect();
    await this.kafka.close();
    await this.service.stop();
    await this.isolation.drop();
  }
}
