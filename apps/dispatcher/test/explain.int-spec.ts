import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceValues, fixtures, type ResourceValueArrived, uidOf } from '@lanyard/contracts';
import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { createLogger, newId, type RunningService } from '@lanyard/service';
import { eventually, infrastructure } from '@lanyard/testing';
import { type Customer, TestSystem } from './test-system.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'error' });

describe('the explanation of an event', () => {
  let system: TestSystem;
  let service: RunningService;

  beforeAll(async () => {
    system = await TestSystem.create('explain');
    service = await system.startReplica();
  });
  afterAll(async () => {
    await system?.drop();
  });

  const explained = async (customer: Customer, uid: string): Promise<unknown> => {
    const response = await fetch(`${service.url}/explain/events/${uid}`, { headers: system.identity(customer) });
    return response.json();
  };

  it('finds the end of a session that another replica announced a minute after it', async () => {
    const customer = await system.customer();
    const uid = uidOf('an end', Date.now() - 60_000);
    await system.session(customer.accountId, 'expired', newId(), uid);
    expect(await explained(customer, uid)).toMatchObject({ uid, category: 'registrations-expired' });
  });

  it('names no channel of a key that gets nothing of the device', async () => {
    const customer = await system.customer();
    await system.call(service, customer, 'PUT', 'websocket');
    await system.announceKey(customer, { deviceGroups: [newId()] });
    const uid = uidOf('of a device in no group', Date.now());
    await system.session(customer.accountId, 'registered', newId(), uid);
    expect(await explained(customer, uid)).toMatchObject({ uid, channels: [] });
  });

  it('says that it is queued, also if a younger one is stored together with it', async () => {
    const customer = await system.customer();
    await system.call(service, customer, 'PUT', 'websocket');
    // Both come after the channel, and before now.
    system.clock.jump(60_000);
    const firstAtMs = system.clock.now() - 2_000;
    const times = [firstAtMs, firstAtMs + 100];
    const messages = times.map((atMs) => ({
      payload: Buffer.from(String(atMs)).toString('base64'),
      uid: uidOf(String(atMs), atMs),
    }));
    const { topicPrefix } = system.isolation;
    const kafka = new KafkaConnection({ brokers: infrastructure().brokers, topicPrefix, clientId: 'together', logger });
    const producer = new KafkaProducer(kafka, { source: 'test', now: () => times.shift() ?? firstAtMs });
    const base = fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived;
    const about = { deviceId: newId(), accountId: customer.accountId, audience: [customer.keyId] };
    try {
      await producer.connect();
      // One request, so that they are read and stored together.
      await Promise.all(
        messages.map(({ payload, uid }) =>
          producer.send(DeviceValues, { ...base, ...about, item: { ...base.item, payload } }, { id: uid }),
        ),
      );
    } finally {
      await producer.disconnect();
      await kafka.close();
    }
    await eventually(async () =>
      expect((await system.call(service, customer, 'GET', 'websocket')).body).toMatchObject({ queue_size: 2 }),
    );
    // The place in the topic is noted after the events are in the queue.
    for (const { uid } of messages)
      await eventually(async () =>
        expect(await explained(customer, uid)).toMatchObject({ uid, channels: [{ progress: 'queued' }] }),
      );
  });
});
