import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ChannelEventsDropped,
  ChannelsDrops,
  type DeviceCommandFinished,
  DeviceCommandResults,
  type DeviceSessionChanged,
  DeviceSessions,
  DeviceValues,
  fixtures,
  type ResourceValueArrived,
  type SubscriptionChanged,
  SubscriptionsState,
} from '@lanyard/contracts';
import type { Batch } from '@lanyard/kafka';
import { newId } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { type Count, countOfValue } from '../src/statistics/counts.js';
import { StatisticsReader } from '../src/statistics/statistics-reader.js';
import { StatisticsWriter } from '../src/statistics/statistics-writer.js';
import { TestSystem } from './test-system.js';

interface Statistics {
  from: string;
  to: string;
  steps: ({ from: string } & Record<string, number>)[];
  fields?: { name: string }[];
}

describe('statistics', () => {
  let system: TestSystem;
  let database: DataSource;
  const occurredAt = new Date().toISOString().replace('Z', '000Z');

  beforeAll(async () => {
    system = await TestSystem.start('statistics');
    ({ database } = system);
  });

  afterAll(async () => {
    await system?.stop();
  });

  const value = (accountId: string, observedAt = occurredAt): ResourceValueArrived => ({
    ...(fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived),
    deviceId: newId(),
    accountId,
    observedAt,
  });
  const statistics = async (accountId: string, query = ''): Promise<Statistics> =>
    (await (await system.call(`/statistics?${query}`, accountId)).json()) as Statistics;
  const sums = async (accountId: string, query = ''): Promise<Record<string, number>> => {
    const total: Record<string, number> = {};
    for (const { from: _from, ...counts } of (await statistics(accountId, query)).steps)
      for (const [what, n] of Object.entries(counts)) if (n > 0) total[what] = (total[what] ?? 0) + n;
    return total;
  };

  it('count every kind of fact in the step in which it happened, for its account only', async () => {
    const accountId = newId();
    const { producer } = system;
    const session = fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged;
    for (const change of ['registered', 'registered', 'updated', 'deregistered', 'expired'] as const)
      await producer.send(DeviceSessions, { ...session, accountId, deviceId: newId(), change, occurredAt });
    const result = fixtures(DeviceCommandResults).valid['write succeeded'] as DeviceCommandFinished;
    for (const outcome of ['succeeded', 'succeeded', 'failed', 'expired'] as const)
      await producer.send(DeviceCommandResults, {
        ...result,
        accountId,
        commandId: newId(),
        outcome,
        finishedAt: occurredAt,
      });
    const drop = fixtures(ChannelsDrops).valid['queue full'] as ChannelEventsDropped;
    await producer.send(ChannelsDrops, { ...drop, accountId, count: 12, occurredAt });
    for (let n = 0; n < 7; n++) await producer.send(DeviceValues, value(accountId));
    const expected = {
      registrations: 2,
      registration_updates: 1,
      deregistrations: 1,
      registrations_expired: 1,
      values: 7,
      commands_succeeded: 2,
      commands_failed: 1,
      commands_expired: 1,
      events_dropped: 12,
    };
    await eventually(async () => expect(await sums(accountId)).toEqual(expected));
    expect(await sums(accountId, 'step_seconds=300')).toEqual(expected);
    expect(await sums(newId())).toEqual({});
    const { steps } = await statistics(accountId);
    const step = Math.floor(Date.parse(occurredAt) / 10_000) * 10_000;
    expect(steps.find(({ from }) => Date.parse(from) === step)).toMatchObject(expected);
  });

  it('have every step of the range', async () => {
    const { steps, from, to } = await statistics(newId());
    expect(steps.length).toBeGreaterThanOrEqual(360);
    expect(steps.length).toBeLessThanOrEqual(361);
    expect(steps[0]?.from).toBe(from);
    expect(Date.parse(to) - Date.parse(from)).toBe(steps.length * 10_000);
    expect((await statistics(newId(), 'step_seconds=300&from=2026-01-01T00:00:00Z')).steps).toHaveLength(2_017);
  });

  it.each([
    ['step_seconds=60', 'step_seconds'],
    ['from=yesterday', 'from'],
    ['to=1', 'to'],
    ['from=2999-01-01T00:00:00Z', 'from'],
  ])('400 for %s', async (query, name) => {
    const { fields } = await statistics(newId(), query);
    expect(fields?.map((field) => field.name)).toEqual([name]);
  });

  describe('of a topic that is read again', () => {
    const clock = new TestClock(Date.parse(occurredAt));
    let offset = 0n;
    const batchOf = (
      topic: string,
      accountId: string,
      count: number,
      timestampMs = 1_000,
    ): Batch<ResourceValueArrived> =>
      ({
        topic,
        partition: 0,
        messages: Array.from({ length: count }, () => ({ value: value(accountId), offset: offset++, timestampMs })),
      }) as unknown as Batch<ResourceValueArrived>;
    const counted = async (accountId: string): Promise<number> => {
      const nowMs = clock.now();
      const query = { stepSeconds: 300, fromMs: Math.floor(nowMs / 300_000) * 300_000, toMs: nowMs + 300_000 };
      query.toMs = query.fromMs + 300_000;
      const { steps } = await new StatisticsReader(database).read(accountId, query);
      return steps.reduce((sum, { values }) => sum + values, 0);
    };
    const countOf: (fact: ResourceValueArrived) => Count = countOfValue;

    it('count each fact once, on whichever replica', async () => {
      const accountId = newId();
      const [one, two] = [new StatisticsWriter(database, clock), new StatisticsWriter(database, clock)];
      const first = batchOf('once', accountId, 3);
      await one.count(first, countOf);
      await one.count(first, countOf);
      await two.count(first, countOf);
      expect(await counted(accountId)).toBe(3);
      // Killed before its offset was committed: the next replica begins earlier, and reads further.
      const rest = batchOf('once', accountId, 4);
      await two.count({ ...first, messages: [...first.messages, ...rest.messages] }, countOf);
      expect(await counted(accountId)).toBe(7);
      await one.count(rest, countOf);
      await one.count(batchOf('once', accountId, 1), countOf);
      expect(await counted(accountId)).toBe(8);
    });

    it('count what partitions bring at the same time in one transaction, but not what another replica has counted', async () => {
      const accountId = newId();
      const [one, two] = [new StatisticsWriter(database, clock), new StatisticsWriter(database, clock)];
      const batches = [1, 2, 3].map((partition) => ({ ...batchOf('together', accountId, partition), partition }));
      await Promise.all(batches.map((batch) => one.count(batch, countOf)));
      expect(await counted(accountId)).toBe(6);
      const transactions = `SELECT DISTINCT xmin FROM snapshot.counted_positions WHERE topic = 'together'`;
      expect(await database.query(transactions)).toHaveLength(1);
      const next = [1, 2, 3].map((partition) => ({ ...batchOf('together', accountId, partition), partition }));
      await two.count({ ...(next[1] as Batch<ResourceValueArrived>) }, countOf);
      await Promise.all(next.map((batch) => one.count(batch, countOf)));
      expect(await counted(accountId)).toBe(12);
    });

    it('count the facts of a topic that was created again', async () => {
      const accountId = newId();
      const writer = new StatisticsWriter(database, clock);
      await writer.count(batchOf('created', accountId, 5), countOf);
      offset = 0n;
      await new StatisticsWriter(database, clock).count(batchOf('created', accountId, 2, 2_000), countOf);
      expect(await counted(accountId)).toBe(7);
      await writer.count(batchOf('created', accountId, 1, 3_000), countOf);
      expect(await counted(accountId)).toBe(8);
    });

    it('keep no count of a time that is over', async () => {
      const accountId = newId();
      const batch = batchOf('over', accountId, 2);
      for (const message of batch.messages) message.value.observedAt = '2024-01-01T00:00:00.000000Z';
      await new StatisticsWriter(database, clock).count(batch, countOf);
      expect(await database.query('SELECT 1 FROM snapshot.statistics WHERE account_id = $1', [accountId])).toEqual([]);
    });

    it.each<[string, (fact: ResourceValueArrived) => Count]>([
      ['its time does not exist', (fact) => countOfValue({ ...fact, observedAt: '2024-13-01T00:00:00Z' })],
      ['its number is too large', (fact) => ({ ...countOfValue(fact), n: 2 ** 31 })],
    ])('name the fact that cannot be counted because %s, and count the others', async (_, uncountable) => {
      const accountId = newId();
      type Message = Batch<ResourceValueArrived>['messages'][number];
      const batch = batchOf('poison', accountId, 3);
      const [first, poison, last] = batch.messages as [Message, Message, Message];
      const writer = new StatisticsWriter(database, clock);
      const counting = writer.count(batch, (fact) => (fact === poison.value ? uncountable(fact) : countOf(fact)));
      await expect(counting).rejects.toMatchObject({ name: 'PoisonMessage', offset: poison.offset });
      await writer.count({ ...batch, messages: [first, last] }, countOf);
      expect(await counted(accountId)).toBe(2);
    });
  });

  it('list the subscriptions that devices ended, until they are asked for again', async () => {
    const accountId = newId();
    const changedAt = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();
    const lost = fixtures(SubscriptionsState).valid['lost, by the device'] as SubscriptionChanged;
    const subscriptions = ['/3303/0/5700', '/3303', '/3/0/7'].map((path) => ({
      ...lost,
      accountId,
      deviceId: newId(),
      keyId: newId(),
      path,
      changedAt: changedAt(0),
    }));
    const [first, second, third] = subscriptions as [SubscriptionChanged, SubscriptionChanged, SubscriptionChanged];
    const { byDevice: _byDevice, ...byApplication } = third;
    for (const { deviceId } of subscriptions)
      await system.producer.send(DeviceSessions, {
        ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged),
        accountId,
        deviceId,
      });
    for (const fact of [first, second, byApplication, { ...third, keyId: newId(), origin: 'presubscription' as const }])
      await system.producer.send(SubscriptionsState, fact);
    const list = async (
      query = '',
    ): Promise<{ data: { id: string; text: string }[]; total_count: number; has_more: boolean }> => {
      const answer = await system.call(`/v3/attention/lost-subscriptions?include=total_count&${query}`, accountId);
      expect(answer.status).toBe(200);
      return (await answer.json()) as { data: { id: string; text: string }[]; total_count: number; has_more: boolean };
    };
    const firstItem = {
      object: 'attention-item',
      kind: 'lost-subscriptions',
      id: `${first.deviceId}-${first.keyId}-3303-0-5700`,
      device_id: first.deviceId,
      key_id: first.keyId,
      since: expect.any(String),
      // The name of the device is told on another topic.
      text: expect.stringContaining('meter-7 no longer reports /3303/0/5700'),
    };
    await eventually(async () => {
      expect((await list()).total_count).toBe(2);
      expect((await list()).data).toContainEqual(firstItem);
    });
    const { data } = await list();
    expect(data.map(({ id }) => id).toSorted()).toEqual(
      [first, second].map((one) => `${one.deviceId}-${one.keyId}${one.path.replaceAll('/', '-')}`).toSorted(),
    );
    expect((await list(`after=${data[0]?.id}`)).data).toEqual(data.slice(1));
    expect((await list(`after=${data[1]?.id}`)).data).toEqual([]);
    expect((await list(`after=${data[1]?.id}&order=DESC`)).data).toEqual(data.slice(0, 1));
    expect((await system.call('/v3/attention/lost-subscriptions?after=x', accountId)).status).toBe(404);
    await system.producer.send(SubscriptionsState, {
      ...byApplication,
      ...first,
      status: 'asked',
      changedAt: changedAt(1),
    });
    await eventually(async () => expect((await list()).total_count).toBe(1));
  });
});
