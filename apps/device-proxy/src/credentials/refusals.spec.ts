import { expect, it } from '@jest/globals';
import type { DeviceEventReported } from '@lanyard/contracts';
import type { KafkaProducer } from '@lanyard/kafka';
import { createLogger, Metrics, newId } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { Refusals } from './refusals.js';

/** `send`: called with each entry for the event log. */
const refusalsTo = (send: (event: DeviceEventReported) => Promise<void>): Refusals =>
  new Refusals(
    { send: (_topic: unknown, event: DeviceEventReported) => send(event) } as unknown as KafkaProducer,
    { named: () => undefined },
    new TestClock(),
    createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    new Metrics('test', 'test'),
  );

it('an entry has no half of a character at the end of a long subject: PostgreSQL could not store it', () => {
  const sent: DeviceEventReported[] = [];
  const refusals = refusalsTo((event) => {
    sent.push(event);
    return Promise.resolve();
  });
  const begin = 'x'.repeat(255);
  refusals.report('expired-certificate', { accountId: newId(), deviceId: newId(), shown: `${begin}😀` });
  expect(sent).toMatchObject([{ data: { reason: 'expired-certificate', shown: `${begin}\ufffd` } }]);
});

it('a device has one entry in a minute, but one that Kafka does not accept does not count', async () => {
  const attempts: string[] = [];
  const refusals = refusalsTo(({ eventCode }) => {
    attempts.push(eventCode);
    return attempts.length === 1 ? Promise.reject(new Error('Kafka is away')) : Promise.resolve();
  });
  const tried = { accountId: newId(), deviceId: newId() };
  await eventually(() => {
    refusals.report('wrong-key', tried);
    expect(attempts).toHaveLength(2);
  });
  refusals.report('wrong-key', tried);
  expect(attempts).toHaveLength(2);
});
