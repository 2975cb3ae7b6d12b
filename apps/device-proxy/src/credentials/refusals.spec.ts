import { expect, it } from '@jest/globals';
import type { DeviceEventReported } from '@lanyard/contracts';
import type { KafkaProducer } from '@lanyard/kafka';
import { createLogger, Metrics, newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { Refusals } from './refusals.js';

it('an entry has no half of a character at the end of a long subject: PostgreSQL could not store it', () => {
  const sent: DeviceEventReported[] = [];
  const producer = {
    send: (_topic: unknown, event: DeviceEventReported) => {
      sent.push(event);
      return Promise.resolve();
    },
  };
  const refusals = new Refusals(
    producer as unknown as KafkaProducer,
    { named: () => undefined },
    new TestClock(),
    createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    new Metrics('test', 'test'),
  );
  const begin = 'x'.repeat(255);
  refusals.report('expired-certificate', { accountId: newId(), deviceId: newId(), shown: `${begin}😀` });
  expect(sent).toMatchObject([{ data: { reason: 'expired-certificate', shown: `${begin}\ufffd` } }]);
});
