import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported, fixtures } from '@lanyard/contracts';
import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { createLogger, newId } from '@lanyard/service';
import { engines, type Isolation, isolate } from '@lanyard/testing';
import { repeatedIds } from './repeated-records.ts';

let isolation: Isolation;
let connection: KafkaConnection;
let producer: KafkaProducer;

beforeAll(async () => {
  isolation = await isolate('repeated');
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  const { topicPrefix } = isolation;
  connection = new KafkaConnection({
    brokers: engines().brokers,
    clientId: 'test',
    topicPrefix,
    partitions: 2,
    logger,
  });
  await connection.ensureTopics([DeviceEvents]);
  producer = new KafkaProducer(connection, { source: 'test' });
  await producer.connect();
});

afterAll(async () => {
  await producer?.disconnect();
  await connection?.close();
  await isolation?.drop();
});

it('finds what a topic has more than once, in whichever request it came', async () => {
  const event = (): DeviceEventReported => ({
    ...(fixtures(DeviceEvents).valid['client code'] as DeviceEventReported),
    deviceId: newId(),
  });
  const again = event();
  for (const id of ['once', 'twice', 'thrice']) await producer.send(DeviceEvents, event(), { id });
  for (const id of ['twice', 'thrice', 'thrice']) await producer.send(DeviceEvents, again, { id });
  const found = await repeatedIds(connection, [DeviceEvents.name], connection.topicName('reads'));
  expect(found).toEqual(new Set(['twice', 'thrice']));
});
