import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { createLogger, newId, type RunningService } from '@lanyard/service';
import { infrastructure, eventually, eventsOf, parseMessage } from '@lanyard/testing';
import { DeviceValues, fixtures, type ResourceValueArrived } from '@lanyard/contracts';
import { TestSystem, payloads } from './test-system.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'error' });

describe('an event whose producer has a clock that is behind', () => {
  let system: TestSystem;
  let service: RunningService;
  let kafka: KafkaConnection;

  beforeAll(async () => {
    system = await TestSystem.create('slow-clock');
    service = await system.startReplica();
    const { topicPrefix } = system.isolation;
    kafka = new KafkaConnection({ brokers: infrastructure().brokers, topicPrefix, clientId: 'behind', logger });
  });

  afterAll(async () => {
    await kafka?.close();
    await system?.drop();
  });

  it.each([
    ['15 s', 15_000],
    ['10 min', 600_000],
    ['25 h, longer than events live', 25 * 3_600_000],
  ])('by %s reaches a channel that has just been made', async (_, behindMs) => {
    const customer = await system.customer();
    await system.call(service, customer, 'GET', 'pull?noWait=true');
    const producer = new KafkaProducer(kafka, { source: 'test', now: () => Date.now() - behindMs });
    await producer.connect();
    const base = fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived;
    const payload = Buffer.from('behind').toString('base64');
    await producer.send(DeviceValues, {
      ...base,
      item: { ...base.item, payload },
      deviceId: newId(),
      accountId: customer.accountId,
      audience: [customer.keyId],
    });
    await producer.disconnect();
    await system.value(customer, 'right');
    const received: string[] = [];
    await eventually(async () => {
      const { text } = await system.call(service, customer, 'GET', 'pull?noWait=true');
      received.push(...payloads(eventsOf([parseMessage(text || '{}')], 'notifications')));
      expect(received.sort()).toEqual(['behind', 'right']);
    });
  });
});
