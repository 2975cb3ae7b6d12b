import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceValues } from '@lanyard/contracts';
import { KafkaConnection } from '@lanyard/kafka';
import { bootstrap, createLogger, newId, type RunningService } from '@lanyard/service';
import { engines, eventually, eventsOf, parseMessage } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { Landscape, payloads } from './landscape.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

describe('a topic that is deleted under a running dispatcher', () => {
  let landscape: Landscape;
  let connection: KafkaConnection;
  let service: RunningService;
  const said: string[] = [];

  beforeAll(async () => {
    landscape = await Landscape.create('deleted-topic');
    const { topicPrefix } = landscape.isolation;
    connection = new KafkaConnection({
      brokers: engines().brokers,
      clientId: 'test',
      topicPrefix,
      partitions: 2,
      logger,
    });
    const note = (details: object, text = ''): void => void said.push(`${text} ${JSON.stringify(details)}`);
    const noting = Object.assign(Object.create(logger), { warn: note, error: note });
    service = await bootstrap(definition, landscape.config('dispatcher-0'), { clock: landscape.clock, logger: noting });
  });

  afterAll(async () => {
    await service?.stop();
    await connection?.close();
    await landscape?.drop();
  });

  it('is missed aloud, and read from its beginning when it is made anew', async () => {
    const customer = await landscape.customer();
    const received = new Set<string>();
    const device = newId();
    const receive = async (): Promise<Set<string>> => {
      const { text } = await landscape.call(service, customer, 'GET', 'pull?noWait=true');
      for (const each of payloads(eventsOf([parseMessage(text || '{}')], 'notifications'))) received.add(each);
      return received;
    };
    await receive();
    await landscape.values(customer, 0, 50, device);
    await eventually(async () => expect((await receive()).size).toBe(50));
    const admin = connection.kafka.admin();
    await admin.connect();
    const topic = connection.topicName(DeviceValues.name);
    await admin.deleteTopics({ topics: [topic] });
    await admin.disconnect();
    await eventually(() => said.some((text) => /does not host this topic-partition/.test(text)), { timeoutMs: 20_000 });
    await connection.ensureTopics([DeviceValues]);
    await landscape.value(customer, 'after', device);
    await eventually(async () => expect(await receive()).toContain('after'), { timeoutMs: 60_000 });
    expect(said.some((text) => text.startsWith('Kafka lost messages'))).toBe(true);
  }, 120_000);
});
