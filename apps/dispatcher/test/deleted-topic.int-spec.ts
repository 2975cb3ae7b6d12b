import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceValues } from '@lanyard/contracts';
import { KafkaConnection } from '@lanyard/kafka';
import { CLOCK, createLogger, LOGGER, newId, type RunningService, startService } from '@lanyard/service';
import { infrastructure, eventsOf, eventually, parseMessage, withProviders } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { TestSystem, payloads } from './test-system.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

describe('a topic that is deleted under a running dispatcher', () => {
  let system: TestSystem;
  let connection: KafkaConnection;
  let service: RunningService;
  const said: string[] = [];

  beforeAll(async () => {
    system = await TestSystem.create('deleted-topic');
    const { topicPrefix } = system.isolation;
    connection = new KafkaConnection({
      brokers: infrastructure().brokers,
      clientId: 'test',
      topicPrefix,
      partitions: 2,
      logger,
    });
    const note = (details: object, text = ''): void => void said.push(`${text} ${JSON.stringify(details)}`);
    const noting = Object.assign(Object.create(logger), { warn: note, error: note });
    const create = withProviders([CLOCK, system.clock], [LOGGER, noting]);
    service = await startService(definition, system.config('dispatcher-0'), create);
  });

  afterAll(async () => {
    await service?.stop();
    await connection?.close();
    await system?.drop();
  });

  it('is reported in the log, and read from its beginning once it is created again', async () => {
    const customer = await system.customer();
    const received = new Set<string>();
    const device = newId();
    const receive = async (): Promise<Set<string>> => {
      const { text } = await system.call(service, customer, 'GET', 'pull?noWait=true');
      for (const each of payloads(eventsOf([parseMessage(text || '{}')], 'notifications'))) received.add(each);
      return received;
    };
    await receive();
    await system.values(customer, 0, 50, device);
    await eventually(async () => expect((await receive()).size).toBe(50));
    const admin = connection.kafka.admin();
    await admin.connect();
    const topic = connection.topicName(DeviceValues.name);
    // A topic that has just been created may be said to be missing too.
    said.length = 0;
    await admin.deleteTopics({ topics: [topic] });
    await admin.disconnect();
    await eventually(() => said.some((text) => /does not host this topic-partition/.test(text)));
    await connection.ensureTopics([DeviceValues]);
    await system.value(customer, 'after', device);
    await eventually(async () => expect(await receive()).toContain('after'));
    expect(said.some((text) => text.startsWith('Kafka lost messages'))).toBe(true);
  });
});
