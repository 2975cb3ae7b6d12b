import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import {
  createLogger,
  type Identity,
  identityHeader,
  newId,
  type RunningService,
  signIdentity,
  startService,
} from '@lanyard/service';
import { infrastructure, type Isolation, isolate, newIdentityKeys } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { readConfig } from '../src/config.js';

const identityKeys = newIdentityKeys();

/** An event log on real, isolated infrastructure. */
export class TestSystem {
  private constructor(
    readonly isolation: Isolation,
    readonly service: RunningService,
    readonly kafka: KafkaConnection,
    readonly producer: KafkaProducer,
  ) {}

  static async start(name: string): Promise<TestSystem> {
    const isolation = await isolate(name);
    const { brokers } = infrastructure();
    const config = readConfig({
      KAFKA_BROKERS: brokers.join(','),
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
    return new TestSystem(isolation, service, kafka, producer);
  }

  call(
    path: string,
    caller: Partial<Identity>,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const identity = {
      accountId: newId(),
      keyId: newId(),
      groups: [],
      permissions: ['devices'],
      tier: 'commercial' as const,
      requestId: 'r',
      ...caller,
    };
    return fetch(this.service.url + path, {
      headers: {
        [identityHeader]: signIdentity(identity, 'event-log', identityKeys.privateKey, Date.now()),
        ...headers,
      },
      ...(signal && { signal }),
    });
  }

  async stop(): Promise<void> {
    await this.producer.disconnect();
    await this.kafka.close();
    await this.service.stop();
    await this.isolation.drop();
  }
}
