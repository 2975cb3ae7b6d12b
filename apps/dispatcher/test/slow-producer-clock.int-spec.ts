import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { createLogger, newId, type RunningService } from '@lanyard/service';
import { infrastructure, eventually, eventsOf, parseMessage } from '@lanyard/testing';
import { DeviceValues, fixtures, type ResourceValueArrived } from '@lanyard/contracts';
import { type Customer, TestSystem, payloads } from './test-system.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'error' });

const minuteMs = 60_000;

describe('an event whose producer has a clock that is', () => {
  let system: TestSystem;
  let service: RunningService;
  let kafka: KafkaConnection;

  beforeAll(async () => {
    system = await TestSystem.create('slow-clock');
    service = await system.startReplica();
    const { topicPrefix } = system.isolation;
    kafka = new KafkaConnection({ brokers: infrastructure().brokers, topicPrefix, clientId: 'wrong', logger });
  });

  afterAll(async () => {
    await kafka?.close();
    await system?.drop();
  });

  /** A value from a producer whose clock is ahead by this much, or behind. */
  const send = async (customer: Customer, text: string, aheadMs: number): Promise<void> => {
    const producer = new KafkaProducer(kafka, { source: 'test', now: () => Date.now() + aheadMs });
    await producer.connect();
    const base = fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived;
    await producer.send(DeviceValues, {
      ...base,
      item: { ...base.item, payload: Buffer.from(text).toString('base64') },
      deviceId: newId(),
      accountId: customer.accountId,
      audience: [customer.keyId],
    });
    await producer.disconnect();
  };

  it.each([
    ['15 s', 15_000],
    ['10 min', 10 * minuteMs],
    ['25 h, longer than events live', 25 * 60 * minuteMs],
  ])('behind by %s reaches a channel that has just been made', async (_, behindMs) => {
    const customer = await system.customer();
    await system.call(service, customer, 'GET', 'pull?noWait=true');
    await send(customer, 'behind', -behindMs);
    await system.value(customer, 'right');
    const received: string[] = [];
    await eventually(async () => {
      const { text } = await system.call(service, customer, 'GET', 'pull?noWait=true');
      received.push(...payloads(eventsOf([parseMessage(text || '{}')], 'notifications')));
      expect(received.sort()).toEqual(['behind', 'right']);
    });
  });

  it('ahead by 30 min is no younger than others: its 24 h begin when it comes', async () => {
    const customer = await system.customer();
    await system.call(service, customer, 'PUT', 'websocket');
    await send(customer, 'ahead', 30 * minuteMs);
    const { oldest } = await eventually(async () => {
      const { body } = await system.call(service, customer, 'GET', 'websocket');
      expect(body).toMatchObject({ queue_size: 1 });
      return body as { oldest: string };
    });
    expect(Date.parse(oldest)).toBeLessThan(Date.now() + minuteMs);
  });
});
