import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually, type Isolation, isolate } from '@lanyard/testing';
import { BatchConsumer, type KafkaConnection, KafkaProducer } from '../src/index.js';
import { event } from './event.js';
import { testConnection } from './test-connection.js';

describe('a producer with a pace', () => {
  let isolation: Isolation;
  let connection: KafkaConnection;

  beforeAll(async () => {
    isolation = await isolate('pace');
    connection = testConnection(isolation, 4);
  });
  afterAll(async () => {
    await connection?.close();
    await isolation?.drop();
  });

  it('keeps the order, and sends what waits before it disconnects', async () => {
    const topic = { ...DeviceEvents, name: 'pace' };
    await connection.ensureTopics([topic]);
    const paced = new KafkaProducer(connection, { source: 'test', paceMs: 100 });
    await paced.connect();
    const deviceId = newId();
    const sent: Promise<void>[] = [];
    const count = 200;
    for (let n = 0; n < count; n++) {
      sent.push(paced.send(topic, event(deviceId, n)));
      if (n >= count / 2) await new Promise((resolve) => setImmediate(resolve));
    }
    await paced.disconnect();
    await Promise.all(sent);
    const seen: number[] = [];
    const consumer = new BatchConsumer<DeviceEventReported>(connection, {
      topic,
      group: 'g',
      onFatal: (error) => void expect(error).toBeUndefined(),
      handler: async ({ messages }) => void seen.push(...messages.map(({ value }) => Number(value.description))),
    });
    await consumer.start();
    await eventually(() => seen.length === count);
    await consumer.stop();
    expect(seen).toEqual(Array.from({ length: count }, (_, n) => n));
  });

  it('waits behind a request of many messages, and not behind one of few', async () => {
    const topic = { ...DeviceEvents, name: 'few' };
    const paceMs = 10_000;
    await connection.ensureTopics([topic]);
    const paced = new KafkaProducer(connection, { source: 'test', paceMs });
    await paced.connect();
    const tookMs = async (...counts: number[]) => {
      const begunAtMs = performance.now();
      for (const count of counts)
        await Promise.all(Array.from({ length: count }, (_, n) => paced.send(topic, event(newId(), n))));
      return performance.now() - begunAtMs;
    };
    // Nine of them would wait.
    expect(await tookMs(...Array<number>(10).fill(2))).toBeLessThan(4 * paceMs);
    expect(await tookMs(100, 1)).toBeGreaterThan(paceMs / 2);
    await paced.disconnect();
  });
});
