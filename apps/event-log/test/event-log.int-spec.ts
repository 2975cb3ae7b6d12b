import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ChannelEventsDropped,
  ChannelsDrops,
  type DeviceCommandFinished,
  DeviceCommandResults,
  DeviceEvents,
  type DeviceEventReported,
  DeviceGroups,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSessionChanged,
  DeviceSessions,
  fixtures,
} from '@lanyard/contracts';
import type { KafkaProducer } from '@lanyard/kafka';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { DataSource } from 'typeorm';
import { MembershipRetention } from '../src/groups/membership-retention.js';
import { MembershipStore } from '../src/groups/membership-store.js';
import { TestSystem } from './test-system.js';

interface Page {
  object: string;
  data: {
    id: string;
    event_type: string;
    device_id: string;
    description: string;
    date_time: string;
    created_at: string;
    data: object;
  }[];
  has_more: boolean;
  limit: number;
  after: string | null;
  order: string;
  total_count?: number;
}

/** Takes a step when the test says so. */
class SteppedRetention extends MembershipRetention {
  takeStep(): Promise<boolean> {
    return this.step();
  }
}

describe('the event log', () => {
  let system: TestSystem;
  let producer: KafkaProducer;
  const accountId = newId();

  const get = async (path: string, account = accountId): Promise<{ status: number; body: Page }> => {
    const response = await system.call(path, { accountId: account });
    return { status: response.status, body: (await response.json()) as Page };
  };

  const registered = (deviceId: string, epoch: number, occurredAt: string): DeviceSessionChanged => ({
    ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged),
    accountId,
    deviceId,
    epoch,
    occurredAt,
  });

  beforeAll(async () => {
    system = await TestSystem.start('event-log');
    ({ producer } = system);
  });

  afterAll(() => system?.stop());

  it('SYS_106 and SYS_105 of a device, newest first, once each although told twice', async () => {
    const deviceId = newId();
    const facts = [
      registered(deviceId, 1, '2024-01-01T10:00:00.123456Z'),
      {
        ...registered(deviceId, 1, '2024-01-01T11:00:00Z'),
        change: 'deregistered' as const,
        reason: 'device' as const,
      },
    ];
    for (const fact of [...facts, ...facts]) await producer.send(DeviceSessions, fact);
    // Of the same device, so behind them.
    const last = '2024-01-01T12:00:00.000000Z';
    await producer.send(DeviceSessions, registered(deviceId, 2, last));
    const list = async (): Promise<Page> =>
      (await get(`/v3/device-events/?device_id__eq=${deviceId}&include=total_count`)).body;
    await eventually(async () => expect((await list()).data[0]?.date_time).toBe(last));
    const body = await list();
    expect(body.data.map((e) => e.event_type)).toEqual(['106', '105', '106']);
    expect(body).toEqual({
      object: 'list',
      data: body.data,
      limit: 50,
      after: null,
      order: 'DESC',
      has_more: false,
      total_count: 3,
    });
    const oldest = body.data[2];
    expect(oldest?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(oldest).toEqual({
      object: 'device-event',
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      device_log_id: oldest?.id,
      device_id: deviceId,
      date_time: '2024-01-01T10:00:00.123456Z',
      created_at: oldest?.created_at,
      etag: oldest?.created_at,
      event_type: '106',
      event_code: 'SYS_106',
      event_type_category: 'INFO',
      event_type_description: 'INFO',
      description: 'Device registered',
      state_change: true,
      changes: {},
      data: { endpoint_name: 'meter-7', address: '127.0.0.1:56830', lifetime: '86400' },
    });
  });

  it('SYS_100 when a command gives up on the device, once although told twice', async () => {
    const deviceId = newId();
    const finished = fixtures(DeviceCommandResults).valid as Record<string, DeviceCommandFinished>;
    const told = ['expired in the queue', 'read succeeded', 'device silent'].map((name) => ({
      ...(finished[name] as DeviceCommandFinished),
      accountId,
      deviceId,
      commandId: newId(),
    }));
    for (const fact of [...told, ...told]) await producer.send(DeviceCommandResults, fact);
    const path = `/v3/device-events?device_id=${deviceId}&event_type=SYS_100`;
    const unanswered = [told[0], told[2]].map((fact) => fact?.commandId).sort();
    const loggedIn = (page: Page): string[] => page.data.map(({ data }) => (data as { command_id: string }).command_id);
    await eventually(async () => expect(loggedIn((await get(path)).body).sort()).toEqual(unanswered));
    expect((await get(path)).body.data[0]).toMatchObject({ event_type: '100', event_type_category: 'FAIL_NETWORK' });
  });

  it('suspensions, and what other systems report', async () => {
    const deviceId = newId();
    const lifecycle = {
      ...(fixtures(DeviceLifecycle).valid['suspended'] as DeviceLifecycleChanged),
      accountId,
      deviceId,
    };
    const campaign = {
      ...(fixtures(DeviceEvents).valid['campaign result'] as DeviceEventReported),
      accountId,
      deviceId,
      eventId: newId(),
    };
    await producer.send(DeviceLifecycle, lifecycle);
    await producer.send(DeviceEvents, campaign);
    await eventually(async () =>
      expect((await get(`/v3/device-events?device_id=${deviceId}`)).body.data).toHaveLength(2),
    );
    const { body } = await get(`/v3/devicelog/${campaign.eventId}`);
    expect(body).toMatchObject({ id: campaign.eventId, event_type_description: 'SUCCESS', data: campaign.data });
    const single = await system.call(`/v3/devicelog/${campaign.eventId}`, { accountId });
    const { etag } = (await single.json()) as { etag: string };
    expect(single.headers.get('etag')).toBe(`"${etag}"`);
  });

  it('what channels lost, once each although told twice', async () => {
    const account = newId();
    const keyId = newId();
    const { valid } = fixtures(ChannelsDrops);
    const drop = (name: string, fields: object = {}): ChannelEventsDropped => ({
      ...(valid[name] as ChannelEventsDropped),
      accountId: account,
      keyId,
      ...fields,
    });
    const facts = [
      drop('queue full'),
      drop('queue full', { count: 2, total: 42, occurredAt: '2024-01-02T10:01:00Z' }),
      drop('channel ended with events in it', { occurredAt: '2024-01-02T10:02:00Z' }),
    ];
    for (const fact of [...facts, ...facts]) await producer.send(ChannelsDrops, fact);
    // Of the same key, so behind them.
    const sentinel = newId();
    await producer.send(ChannelsDrops, drop('queue full', { accountId: sentinel, total: 43 }));
    await eventually(async () => expect((await get('/v3/device-events', sentinel)).body.data).toHaveLength(1));
    const { body } = await get('/v3/device-events?event_type__in=SYS_300,SYS_303', account);
    expect(body.data).toMatchObject([
      {
        event_type: '303',
        device_id: '',
        data: { count: '3', reason: 'removed', channel_kind: 'callback', ending: 'delivery failed for 24 hours' },
      },
      { event_type: '300', data: { count: '2', total: '42' } },
      {
        event_type: '300',
        data: { key_id: keyId, channel_kind: 'websocket', reason: 'size', count: '12', total: '40' },
      },
    ]);
    expect(body.data[0]?.description).toContain(keyId);
  });

  it('both filter spellings, either spelling of a code', async () => {
    const deviceId = newId();
    await producer.send(DeviceSessions, registered(deviceId, 1, '2024-02-01T10:00:00Z'));
    await producer.send(DeviceSessions, {
      ...registered(deviceId, 1, '2024-02-01T11:00:00Z'),
      change: 'expired',
      reason: 'lifetime',
    });
    await eventually(async () =>
      expect((await get(`/v3/device-events?device_id=${deviceId}`)).body.data).toHaveLength(2),
    );
    const types = async (query: string): Promise<string[]> =>
      (await get(`/v3/device-events?device_id=${deviceId}&${query}`)).body.data.map((e) => e.event_type);
    expect(await types('event_type=SYS_106')).toEqual(['106']);
    expect(await types('event_type__in=106,105&order=ASC')).toEqual(['106', '105']);
    expect(
      await types(`filter=${encodeURIComponent('event_code__neq=SYS_106&date_time__gte=20240201T103000Z')}`),
    ).toEqual(['105']);
    expect(await types('state_change=false')).toEqual([]);
    expect(await types('state_change__neq=false&event_type_category=INFO')).toEqual(['105', '106']);
    expect(await types('event_type_description=FAIL')).toEqual([]);
    expect(await types('description=Device%20registered')).toEqual(['106']);
    expect(await types('description__nin=Device%20registered,x')).toEqual(['105']);
    for (const code of ['106', 'SYS_106']) {
      expect([code, await types(`event_code=${code}`)]).toEqual([code, ['106']]);
      expect([code, await types(`event_code__neq=${code}`)]).toEqual([code, ['105']]);
      expect([code, await types(`event_code__in=${code},SYS_100`)]).toEqual([code, ['106']]);
      expect([code, await types(`event_code__nin=${code},SYS_100`)]).toEqual([code, ['105']]);
    }
  });

  it('a code of an older update client is found by its name and by its number, whichever the filter names', async () => {
    const deviceId = newId();
    const reported = fixtures(DeviceEvents).valid['campaign result'] as DeviceEventReported;
    for (const eventCode of ['UPD1_FAIL_7', 'SYS_112'])
      await producer.send(DeviceEvents, { ...reported, accountId, deviceId, eventId: newId(), eventCode });
    const types = async (query: string): Promise<string[]> =>
      (await get(`/v3/device-events?device_id=${deviceId}&${query}`)).body.data.map((e) => e.event_type);
    await eventually(async () => expect(await types('')).toHaveLength(2));
    for (const field of ['event_type', 'event_code'])
      for (const code of ['7', 'UPD1_FAIL_7']) {
        expect([field, code, await types(`${field}=${code}`)]).toEqual([field, code, ['7']]);
        expect([field, code, await types(`${field}__in=SYS_106,${code}`)]).toEqual([field, code, ['7']]);
        expect([field, code, await types(`${field}__neq=${code}`)]).toEqual([field, code, ['112']]);
        expect([field, code, await types(`${field}__nin=SYS_106,${code}`)]).toEqual([field, code, ['112']]);
        expect([field, code, await types(`${field}__nin=${code},112`)]).toEqual([field, code, []]);
      }
  });

  it('an entry is found by its id, also under the name device_log_id', async () => {
    const deviceId = newId();
    for (const epoch of [1, 2])
      await producer.send(DeviceSessions, registered(deviceId, epoch, `2024-02-0${epoch}T10:00:00Z`));
    const found = async (filter: string): Promise<string[]> =>
      (await get(`/v3/device-events?device_id=${deviceId}&${filter}`)).body.data.map((e) => e.id);
    await eventually(async () => expect(await found('')).toHaveLength(2));
    const [newest, oldest] = await found('');
    for (const name of ['id', 'device_log_id']) {
      expect(await found(`${name}=${oldest}`)).toEqual([oldest]);
      expect(await found(`${name}__neq=${oldest}`)).toEqual([newest]);
      expect(await found(`${name}__in=${oldest},${newId()}`)).toEqual([oldest]);
      expect(await found(`${name}__nin=${oldest},${newId()}`)).toEqual([newest]);
    }
  });

  it('times count to the microsecond: two entries of one millisecond are told apart', async () => {
    const deviceId = newId();
    const [first, second] = ['2024-05-01T10:00:00.123456Z', '2024-05-01T10:00:00.123457Z'];
    for (const [n, at] of [first, second].entries())
      await producer.send(DeviceSessions, registered(deviceId, n + 1, at as string));
    const found = async (filter: string): Promise<string[]> =>
      (await get(`/v3/device-events?order=ASC&device_id=${deviceId}&${filter}`)).body.data.map((e) => e.date_time);
    await eventually(async () => expect(await found('')).toEqual([first, second]));
    expect(await found(`date_time__in=${first}`)).toEqual([first]);
    expect(await found(`date_time__nin=${first}`)).toEqual([second]);
    expect(await found(`date_time__lte=${first}`)).toEqual([first]);
    expect(await found(`date_time__gte=${second}`)).toEqual([second]);
  });

  it('pages by the id of the last item while entries arrive', async () => {
    const deviceId = newId();
    const at = (n: number): string => new Date(Date.parse('2024-03-01T00:00:00Z') + n * 1000).toISOString();
    for (let n = 0; n < 9; n++) await producer.send(DeviceSessions, registered(deviceId, n + 1, at(n)));
    await eventually(async () =>
      expect((await get(`/v3/device-events?device_id=${deviceId}`)).body.data).toHaveLength(9),
    );
    const seen: string[] = [];
    let after = '';
    for (let more = true; more;) {
      const { body } = await get(`/v3/device-events?device_id=${deviceId}&limit=4&after=${after}`);
      expect([body.limit, body.after]).toEqual([4, after || null]);
      seen.push(...body.data.map((e) => e.id));
      await producer.send(DeviceSessions, registered(deviceId, 100 + seen.length, at(100 + seen.length)));
      after = body.data.at(-1)?.id ?? '';
      more = body.has_more;
    }
    expect(new Set(seen).size).toBe(9);
    expect(seen).toHaveLength(9);
  });

  it('newest first over all times: those of these weeks, then older ones, and one whose clock is fast', async () => {
    const deviceId = newId();
    const day = 86_400_000;
    const daysAgo = [200, 60, 15, 8, 3, 0, -90];
    for (const [n, days] of daysAgo.entries())
      await producer.send(DeviceSessions, registered(deviceId, n + 1, new Date(Date.now() - days * day).toISOString()));
    const page = async (query: string): Promise<{ body: Page }> =>
      get(`/v3/device-events?device_id=${deviceId}&${query}`);
    await eventually(async () => expect((await page('order=ASC')).body.data).toHaveLength(7));
    const newestFirst = (await page('order=ASC')).body.data.map((e) => e.id).reverse();
    for (const limit of [2, 4, 6, 7, 8]) {
      const { body } = await page(`limit=${limit}`);
      expect(body.data.map((e) => e.id)).toEqual(newestFirst.slice(0, limit));
      expect(body.has_more).toBe(limit < 7);
    }
    const { body } = await page(`limit=4&after=${newestFirst[2]}`);
    expect(body.data.map((e) => e.id)).toEqual(newestFirst.slice(3));
  });

  it('continues behind an entry that is deleted, in both orders', async () => {
    const deviceId = newId();
    const minute = (n: number): string => new Date(Date.parse('2024-05-01T00:00:00Z') + n * 60_000).toISOString();
    for (const n of [1, 2, 4, 5]) await producer.send(DeviceSessions, registered(deviceId, n, minute(n)));
    const behind = async (query: string): Promise<string[]> =>
      (await get(`/v3/device-events?device_id=${deviceId}&${query}`)).body.data.map(({ id }) => id);
    await eventually(async () => expect(await behind('order=ASC')).toHaveLength(4));
    const all = await behind('order=ASC');
    // Ids begin with the milliseconds of their entry.
    const gone = newId(Date.parse(minute(3)));
    expect(await behind(`order=ASC&after=${gone}`)).toEqual(all.slice(2));
    expect(await behind(`order=DESC&after=${gone}`)).toEqual(all.slice(0, 2).reverse());
  });

  it('of a device group: the entries of those who are in it now; pages stay as they are when members come and go', async () => {
    const account = newId();
    const [group, other] = [newId(), newId()];
    const [a, b, outside] = [newId(), newId(), newId()];
    const member = (deviceId: string, groups: string[], revision: number, ofAccount = account): Promise<void> =>
      producer.send(DeviceGroups, {
        deviceId,
        accountId: ofAccount,
        groups,
        revision,
        changedAt: new Date().toISOString(),
      });
    const at = (n: number): string => new Date(Date.parse('2024-03-01T00:00:00Z') + n * 1000).toISOString();
    for (let n = 0; n < 9; n++) {
      const deviceId = [a, b, outside][n % 3] as string;
      await producer.send(DeviceSessions, { ...registered(deviceId, n + 1, at(n)), accountId: account });
    }
    const devicesOf = async (query: string): Promise<string[]> =>
      (await get(`/v3/device-events?limit=1000&${query}`, account)).body.data.map((e) => e.device_id);
    await eventually(async () => expect(await devicesOf('')).toHaveLength(9));
    await member(a, [group, other], 1);
    await member(b, [group], 2);
    // Told late, and by another account about the same group.
    await member(a, [], 0);
    await member(outside, [group], 3, newId());
    await eventually(async () => expect(await devicesOf(`group_id=${group}`)).toEqual([b, a, b, a, b, a]));
    expect(await devicesOf(`filter=${encodeURIComponent(`group_id__in=${other},${newId()}`)}`)).toEqual([a, a, a]);
    expect(await devicesOf(`group_id__neq=${group}`)).toEqual([outside, outside, outside]);
    expect(await devicesOf(`group_id=${newId()}`)).toEqual([]);
    const first = await get(`/v3/device-events?group_id=${group}&limit=3&include=total_count`, account);
    expect(first.body).toMatchObject({ has_more: true, total_count: 6 });
    const cursor = first.body.data.at(-1)?.id;
    const rest = async (): Promise<string[]> => devicesOf(`group_id=${group}&after=${cursor}`);
    expect(await rest()).toEqual([a, b, a]);
    // The entry of the cursor is that of a device that leaves.
    await member(b, [], 4);
    await eventually(async () => expect(await rest()).toEqual([a, a]));
    await member(b, [group], 5);
    await eventually(async () => expect(await rest()).toEqual([a, b, a]));
  });

  it('of a device group: not those of a device that has left it, even if an older fact is stored late', async () => {
    const account = newId();
    const [deviceId, group] = [newId(), newId()];
    await producer.send(DeviceSessions, { ...registered(deviceId, 1, '2024-03-01T00:00:00Z'), accountId: account });
    const devicesOf = async (groupId: string): Promise<string[]> =>
      (await get(`/v3/device-events?group_id=${groupId}`, account)).body.data.map((e) => e.device_id);
    await eventually(async () => expect(await devicesOf('')).toEqual([deviceId]));
    const part = { strict: false } as const;
    const [database, store] = [system.service.app.get(DataSource, part), system.service.app.get(MembershipStore, part)];
    const take = (groups: string[], revision: number): Promise<void> =>
      store.apply([{ deviceId, accountId: account, groups, revision, changedAt: new Date().toISOString() }]);
    await take([group], 1);
    expect([await devicesOf(group), await devicesOf('')]).toEqual([[deviceId], []]);
    await take([], 2);
    await take([group], 1);
    expect([await devicesOf(group), await devicesOf('')]).toEqual([[], [deviceId]]);
    const keptAfter = async (hours: number): Promise<unknown[]> => {
      const at = new Date(Date.now() - hours * 3_600_000);
      await database.query('UPDATE event_log.memberships SET changed_at = $2 WHERE device_id = $1', [deviceId, at]);
      await new SteppedRetention(database).takeStep();
      return database.query('SELECT revision::int FROM event_log.memberships WHERE device_id = $1', [deviceId]);
    };
    expect(await keptAfter(23)).toEqual([{ revision: 2 }]);
    expect(await keptAfter(25)).toEqual([]);
    await take([group], 3);
    expect(await keptAfter(25)).toEqual([{ revision: 3 }]);
  });

  it('another account sees nothing of it', async () => {
    const deviceId = newId();
    await producer.send(DeviceSessions, registered(deviceId, 1, '2024-04-01T00:00:00Z'));
    await eventually(async () =>
      expect((await get(`/v3/device-events?device_id=${deviceId}`)).body.data).toHaveLength(1),
    );
    const [event] = (await get(`/v3/device-events?device_id=${deviceId}`)).body.data;
    const stranger = newId();
    expect((await get(`/v3/device-events?device_id=${deviceId}`, stranger)).body.data).toEqual([]);
    expect((await get(`/v3/device-events/${event?.id}`, stranger)).status).toBe(404);
    expect((await get(`/v3/device-events?after=${event?.id}`, stranger)).body.data).toEqual([]);
  });

  it('400 naming an unknown filter; 404 for an unknown event and a page behind what is no id', async () => {
    const unknown = await get('/v3/device-events?colour=red');
    expect([unknown.status, unknown.body]).toMatchObject([
      400,
      { type: 'validation_error', fields: [{ name: 'colour' }] },
    ]);
    expect((await get(`/v3/device-events/${newId()}`)).status).toBe(404);
    expect((await get('/v3/device-events?after=1')).status).toBe(404);
  });

  it('401 without the gateway', async () => {
    expect((await fetch(`${system.service.url}/v3/device-events`)).status).toBe(401);
  });
});
