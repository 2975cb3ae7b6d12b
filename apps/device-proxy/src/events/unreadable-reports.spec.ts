import { expect, it } from '@jest/globals';
import type { KafkaProducer } from '@lanyard/kafka';
import { createLogger, Metrics } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { Session } from '../sessions/session.js';
import { UnreadableReports } from './unreadable-reports.js';

it('the log says what is wrong with a report, but not what the device has sent', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const events: object[] = [];
  const reports = new UnreadableReports(
    { send: async (_: unknown, event: object) => void events.push(event) } as unknown as KafkaProducer,
    new TestClock(),
    createLogger({ app: 'x', replicaId: 'x-0', level: 'info', destination }),
    new Metrics('x', 'x-0'),
  );
  const why = 'text: "hun"ter2" is no integer';
  await reports.report({ deviceId: 'd', accountId: 'a' } as Session, {
    payload: Buffer.from('hun"ter2'),
    contentType: 'text/plain',
    why,
  });
  expect(events).toMatchObject([{ data: { reason: why } }]);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { deviceId: 'd', why: 'text: "…" is no integer' },
  ]);
});
