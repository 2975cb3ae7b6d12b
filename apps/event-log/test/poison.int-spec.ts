import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deadLetterTopic, DeviceEvents, type DeviceEventReported, fixtures } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { TestSystem } from './test-system.js';

let log: TestSystem;

beforeAll(async () => {
  log = await TestSystem.start('poison');
});
afterAll(() => log?.stop());

const accountId = newId();
// One key, one partition: what comes behind an entry waits for it.
const deviceId = newId();

const tell = async (fields: Partial<DeviceEventReported> = {}): Promise<string> => {
  const eventId = newId();
  const fact = { ...(fixtures(DeviceEvents).valid['campaign result'] as DeviceEventReported), ...fields };
  await log.producer.send(DeviceEvents, { ...fact, accountId, deviceId, eventId });
  return eventId;
};
const stored = async (): Promise<string[]> => {
  const answer = await log.call('/v3/device-events?order=ASC', { accountId });
  return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
};
const deadLetters = async (): Promise<number> => {
  const offsets = await log.kafka.offsets(deadLetterTopic(DeviceEvents.name, 'event-log'));
  return [...offsets.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
};

it('what another system reports and PostgreSQL cannot hold is a dead letter, and stops no message behind it', async () => {
  const good = [await tell()];
  await tell({ description: 'a NUL: \0' });
  await tell({ data: { campaign_id: 'half of a pair: \ud83d' } });
  good.push(await tell());
  await tell({ occurredAt: '2024-02-30T00:00:00Z' });
  await tell({ changes: { 'a\0': '' } });
  good.push(await tell());
  await eventually(async () => expect((await stored()).toSorted()).toEqual(good.toSorted()));
  await eventually(async () => expect(await deadLetters()).toBe(4));
});
