import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  deadLetterTopic,
  type DeviceCommandAccepted,
  type DeviceCommandFinished,
  DeviceCommandResults,
  DeviceCommands,
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSessionChanged,
  DeviceSessions,
  DeviceValues,
  fixtures,
  type ResourceValueArrived,
  type SubscriptionChanged,
  SubscriptionsState,
} from '@lanyard/contracts';
import type { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { createLogger, newId } from '@lanyard/service';
import { eventually, holdRows, type Isolation, TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { SnapshotReader } from '../src/resources/snapshot-reader.js';
import { PurgeService } from '../src/retention/purge.service.js';
import { TestSystem } from './test-system.js';

interface Echo {
  endpoint_name: string;
  updated_at?: string;
  last_reported_at?: string;
  last_desired_at?: string;
  resources: {
    resource_path: string;
    subscribed: boolean;
    reported?: { value: string; content_type: string; reported_at: string; expires_at: string };
    desired?: { value: string; status: number; desired_at: string; status_updated_at: string };
  }[];
}

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'error' });

const purge = (database: DataSource, clock: TestClock): Promise<number> =>
  Object.assign(new PurgeService(database), { clock, logger }).purge();

describe('the snapshot', () => {
  let system: TestSystem;
  let isolation: Isolation;
  let kafka: KafkaConnection;
  let producer: KafkaProducer;
  let database: DataSource;
  let accountId: string;

  const call: TestSystem['call'] = (...args) => system.call(...args);
  const echo = async (deviceId: string): Promise<Echo> => {
    const response = await call(`/v3/devices/${deviceId}/echo`);
    expect(response.status).toBe(200);
    return (await response.json()) as Echo;
  };
  const session = (deviceId: string): DeviceSessionChanged => ({
    ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged),
    item: { ep: deviceId },
    accountId,
    deviceId,
  });
  const value = (deviceId: string, epoch: number, sequence: number, text: string): ResourceValueArrived => ({
    ...(fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived),
    item: {
      ep: deviceId,
      path: '/3303/0/5700',
      ct: 'text/plain',
      payload: Buffer.from(text).toString('base64'),
      'max-age': 60,
    },
    accountId,
    deviceId,
    epoch,
    sequence,
  });
  const write = (deviceId: string, commandId = newId()): DeviceCommandAccepted => ({
    ...(fixtures(DeviceCommands).valid['write'] as DeviceCommandAccepted),
    accountId,
    deviceId,
    commandId,
  });
  const finished = (command: DeviceCommandAccepted, outcome: 'succeeded' | 'expired'): DeviceCommandFinished => ({
    ...(fixtures(DeviceCommandResults).valid['write succeeded'] as DeviceCommandFinished),
    accountId,
    deviceId: command.deviceId,
    commandId: command.commandId,
    outcome,
  });

  beforeAll(async () => {
    system = await TestSystem.start('snapshot');
    ({ accountId, isolation, kafka, producer, database } = system);
  });

  afterAll(async () => {
    await system?.stop();
  });

  it('a device that never reported has an empty one; unknown and foreign devices are 404', async () => {
    const deviceId = newId();
    const created = { ...(fixtures(DeviceLifecycle).valid['created'] as DeviceLifecycleChanged), accountId, deviceId };
    expect((await call(`/v3/devices/${deviceId}/echo`)).status).toBe(404);
    await producer.send(DeviceLifecycle, created);
    await eventually(async () => expect((await call(`/v3/devices/${deviceId}/echo`)).status).toBe(200));
    expect((await echo(deviceId)).resources).toEqual([]);
    expect((await call(`/v3/devices/${deviceId}/echo`, newId())).status).toBe(404);
    await producer.send(DeviceLifecycle, { ...created, change: 'deleted', revision: 2 });
    await eventually(async () => expect((await call(`/v3/devices/${deviceId}/echo`)).status).toBe(404));
  });

  it('a device that was created a moment ago is waited for', async () => {
    const deviceId = newId();
    const { devices } = system.part(SnapshotReader) as unknown as { devices: { get(id: string): Promise<unknown> } };
    const look = devices.get.bind(devices);
    const insert = `INSERT INTO snapshot.devices (device_id, account_id, last_connected_at) VALUES ($1, $2, now())`;
    let looks = 0;
    // It is created once it was not found.
    devices.get = async (id) => {
      const found = await look(id);
      if (id === deviceId && ++looks === 1) await database.query(insert, [deviceId, accountId]);
      return found;
    };
    try {
      expect((await call(`/v3/devices/${deviceId}/echo`)).status).toBe(200);
      expect(looks).toBeGreaterThan(1);
    } finally {
      Reflect.deleteProperty(devices, 'get');
    }
  });

  it('lists what a registration or an update names by its own path, and keeps what a later one leaves out', async () => {
    const deviceId = newId();
    const listed = async (): Promise<string[]> => (await echo(deviceId)).resources.map((r) => r.resource_path);
    const naming = (change: 'registered' | 'updated', epoch: number, ...paths: string[]): DeviceSessionChanged => {
      const item = { ep: deviceId, resources: paths.map((path) => ({ path, obs: true })) };
      return { ...session(deviceId), change, epoch, item };
    };
    await producer.send(DeviceSessions, naming('registered', 1, '/1', '/3/0', '/3303/0/5700', '/3303/0/5701'));
    await eventually(async () => expect(await listed()).toEqual(['/3303/0/5700', '/3303/0/5701']));
    expect((await echo(deviceId)).resources[0]).toEqual({
      resource_path: '/3303/0/5700',
      object_name: 'Temperature',
      name: 'Sensor Value',
      type: 'float',
      operations: 'R',
      subscribed: false,
    });
    await producer.send(DeviceValues, value(deviceId, 1, 1, '21.5'));
    await eventually(async () => expect((await echo(deviceId)).resources[0]?.reported?.value).toBe('MjEuNQ=='));
    await producer.send(DeviceSessions, naming('updated', 1, '/3303/0/5700', '/3341/0/5527'));
    await producer.send(DeviceSessions, naming('updated', 1, '/3303/0/5700', '/3341/0/5527'));
    await eventually(async () => expect(await listed()).toEqual(['/3303/0/5700', '/3303/0/5701', '/3341/0/5527']));
    await producer.send(DeviceSessions, naming('registered', 2, '/9/0/0'));
    await eventually(async () => expect(await listed()).toHaveLength(4));
    expect((await echo(deviceId)).resources[1]?.reported?.value).toBe('MjEuNQ==');
  });

  it('reported value, its times, and the last registration event', async () => {
    const deviceId = newId();
    await producer.send(DeviceSessions, session(deviceId));
    await producer.send(DeviceValues, value(deviceId, 3, 1, '21.5'));
    await eventually(async () => {
      expect((await echo(deviceId)).resources).toHaveLength(1);
      expect((await echo(deviceId)).updated_at).toBeDefined();
    });
    expect(await echo(deviceId)).toEqual({
      object: 'device-echo',
      device_id: deviceId,
      endpoint_name: 'meter-7',
      stored_bytes: expect.any(Number),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      updated_at: '2024-01-01T10:00:00.123456Z',
      last_reported_at: '2024-01-01T10:00:00.123456Z',
      resources: [
        {
          resource_path: '/3303/0/5700',
          object_name: 'Temperature',
          name: 'Sensor Value',
          type: 'float',
          operations: 'R',
          subscribed: false,
          reported: {
            value: 'MjEuNQ==',
            decoded: 21.5,
            content_type: 'text/plain',
            reported_at: '2024-01-01T10:00:00.123456Z',
            expires_at: '2024-01-01T10:01:00.123456Z',
          },
        },
      ],
    });
  });

  it('shows when the device measured; history that comes later does not take its place', async () => {
    const deviceId = newId();
    const observedAt = '2024-01-01T10:00:00.000000Z';
    const [newest, history] = ['2024-01-01T09:59:00.000000Z', '2024-01-01T08:00:00.000000Z'];
    await producer.send(DeviceSessions, session(deviceId));
    await producer.send(DeviceValues, { ...value(deviceId, 3, 1, 'newest'), observedAt, measuredAt: newest });
    await producer.send(DeviceValues, { ...value(deviceId, 3, 2, 'history'), observedAt, measuredAt: history });
    const other = { ...value(deviceId, 3, 3, 'other'), observedAt };
    await producer.send(DeviceValues, { ...other, item: { ...other.item, path: '/3303/0/5701' } });
    await eventually(async () => expect((await echo(deviceId)).resources).toHaveLength(2));
    expect((await echo(deviceId)).resources).toMatchObject([
      {
        resource_path: '/3303/0/5700',
        reported: {
          value: Buffer.from('newest').toString('base64'),
          reported_at: newest,
          expires_at: '2024-01-01T10:00:00.000000Z',
        },
      },
      { resource_path: '/3303/0/5701', reported: { reported_at: observedAt } },
    ]);
    await producer.send(DeviceValues, { ...value(deviceId, 3, 4, 'notified'), observedAt });
    await eventually(async () =>
      expect((await echo(deviceId)).resources[0]?.reported).toMatchObject({
        value: Buffer.from('notified').toString('base64'),
        reported_at: observedAt,
      }),
    );
  });

  it('never goes back in time under repeated and reordered facts', async () => {
    const deviceId = newId();
    const facts = Array.from({ length: 60 }, (_, i) => value(deviceId, 1 + Math.floor(i / 20), i % 20, `${i}`));
    let seed = 7;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const told = [...facts, ...facts].map((fact) => ({ fact, at: random() })).sort((a, b) => a.at - b.at);
    const observed: number[] = [];
    for (const { fact } of told) {
      await producer.send(DeviceValues, fact);
      const response = await call(`/v3/devices/${deviceId}/echo`);
      const seen =
        response.status === 200 ? ((await response.json()) as Echo).resources[0]?.reported?.value : undefined;
      if (seen !== undefined) observed.push(Number(Buffer.from(seen, 'base64').toString()));
    }
    await eventually(async () =>
      expect((await echo(deviceId)).resources[0]?.reported?.value).toBe(Buffer.from('59').toString('base64')),
    );
    expect(observed).toEqual(observed.toSorted((a, b) => a - b));
  });

  it('desired value: pending, then success, although the command is announced again afterwards', async () => {
    const deviceId = newId();
    await producer.send(DeviceSessions, session(deviceId));
    const command = write(deviceId);
    await producer.send(DeviceCommands, command);
    await eventually(async () => expect((await echo(deviceId)).resources[0]?.desired?.status).toBe(0));
    await producer.send(DeviceCommandResults, finished(command, 'succeeded'));
    await eventually(async () => expect((await echo(deviceId)).resources[0]?.desired?.status).toBe(1));
    await producer.send(DeviceCommands, command);
    const sentinel = write(deviceId);
    await producer.send(DeviceCommands, { ...sentinel, path: '/3/0/1' });
    await eventually(async () => expect((await echo(deviceId)).resources).toHaveLength(2));
    const { last_desired_at: lastDesiredAt, resources } = await echo(deviceId);
    expect(lastDesiredAt).toBe('2024-01-01T10:00:00.123456Z');
    expect(resources.at(-1)?.desired).toEqual({
      value: 'Nw==',
      decoded: 7,
      status: 1,
      desired_at: '2024-01-01T10:00:00.123456Z',
      status_updated_at: '2024-01-01T10:00:02.000000Z',
    });
  });

  it('a result that overtakes its command is enough', async () => {
    const deviceId = newId();
    await producer.send(DeviceSessions, session(deviceId));
    await producer.send(DeviceCommandResults, finished(write(deviceId), 'expired'));
    await eventually(async () =>
      expect((await echo(deviceId)).resources[0]?.desired).toMatchObject({ value: 'Nw==', status: 2 }),
    );
  });

  it('subscribed once a device confirmed, for everything below the path', async () => {
    const deviceId = newId();
    const subscription = {
      ...(fixtures(SubscriptionsState).valid['confirmed'] as SubscriptionChanged),
      accountId,
      deviceId,
      path: '/3303',
    };
    await producer.send(DeviceValues, value(deviceId, 1, 1, '1'));
    await eventually(async () => expect((await echo(deviceId)).resources).toHaveLength(1));
    await producer.send(SubscriptionsState, subscription);
    await eventually(async () => expect((await echo(deviceId)).resources[0]?.subscribed).toBe(true));
    await producer.send(SubscriptionsState, { ...subscription, status: 'lost', changedAt: '2024-01-02T00:00:00Z' });
    await eventually(async () => expect((await echo(deviceId)).resources[0]?.subscribed).toBe(false));
  });

  it('what cannot be stored is a dead letter, and stops no message behind it', async () => {
    const deviceId = newId();
    const { item, ...fact } = value(deviceId, 1, 1, '1');
    // One key, one partition: the value behind them waits for them.
    const poison = [
      { ...fact, item: { ...item, path: '/99999/0/1' } },
      { ...fact, item: { ...item, path: '/3303/1/5700', 'max-age': Number.MAX_SAFE_INTEGER } },
      { ...fact, item: { ...item, path: '/3303/2/5700' }, observedAt: '2024-02-30T00:00:00Z' },
      { ...fact, item: { ...item, path: '/3303/3/5700', ct: 'a NUL: \0' } },
    ];
    for (const one of [...poison, { ...fact, item }]) await producer.send(DeviceValues, one);
    await eventually(async () =>
      expect((await echo(deviceId)).resources.map((r) => r.resource_path)).toEqual(['/3303/0/5700']),
    );
    const letters = async (topic: string): Promise<number> => {
      const offsets = await kafka.offsets(deadLetterTopic(topic, 'snapshot'));
      return [...offsets.values()].reduce((sum, { low, high }) => sum + Number(high - low), 0);
    };
    await eventually(async () => expect(await letters(DeviceValues.name)).toBe(poison.length));
    const write = fixtures(DeviceCommands).valid['write'] as DeviceCommandAccepted;
    for (const path of ['/99999/0', item.path])
      await producer.send(DeviceCommands, { ...write, accountId, deviceId, commandId: newId(), path });
    await eventually(async () => expect((await echo(deviceId)).resources[0]?.desired).toBeDefined());
    await eventually(async () => expect(await letters(DeviceCommands.name)).toBe(1));
  });

  it('a device that comes back while its snapshot ends keeps what it reports then', async () => {
    const [first, back] = [newId(), newId()];
    const at = '2023-06-15T00:00:00.000Z';
    const path = '/3303/0/5700';
    for (const deviceId of [first, back]) {
      await producer.send(DeviceValues, { ...value(deviceId, 1, 1, 'old'), observedAt: at });
      await eventually(async () => expect((await echo(deviceId)).resources).toHaveLength(1));
    }
    const waiting = async (): Promise<number> => {
      const [row] = (await database.query(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )) as { n: number }[];
      return row?.n ?? 0;
    };
    const held = 'SELECT 1 FROM snapshot.resources WHERE device_id = $1 FOR UPDATE';
    const release = await holdRows(isolation.databaseUrl, held, [first]);
    const purged = purge(database, new TestClock(Date.parse('2023-12-16T00:00:00Z')));
    await eventually(async () => (await waiting()) === 1);
    await producer.send(DeviceValues, { ...value(back, 2, 1, 'new'), observedAt: '2023-12-16T00:00:01Z' });
    await eventually(async () => (await waiting()) === 2);
    await release();
    expect(await purged).toBeGreaterThanOrEqual(2);
    const reported = { resource_path: path, reported: { value: Buffer.from('new').toString('base64') } };
    await eventually(async () => expect((await echo(back)).resources).toMatchObject([reported]));
  });

  it('405 for deleting one (spec §2.4 rule 4), 401 without the gateway', async () => {
    const refused = await call(`/v3/devices/${newId()}/echo`, accountId, 'DELETE');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await refused.json()).toMatchObject({ object: 'error', code: 405, type: 'method_not_supported' });
    expect((await fetch(`${system.url}/v3/devices/${newId()}/echo`)).status).toBe(401);
  });

  it('ends 6 months after the last connection', async () => {
    const deviceId = newId();
    const at = '2024-06-15T00:00:00.000Z';
    await producer.send(DeviceSessions, { ...session(deviceId), occurredAt: at });
    await producer.send(DeviceValues, { ...value(deviceId, 3, 1, '1'), observedAt: at });
    await eventually(async () => {
      expect((await echo(deviceId)).resources).toHaveLength(1);
      expect((await echo(deviceId)).updated_at).toBeDefined();
    });
    await purge(database, new TestClock(Date.parse('2024-12-14T23:00:00Z')));
    expect((await echo(deviceId)).resources).toHaveLength(1);
    expect(await purge(database, new TestClock(Date.parse('2024-12-15T03:00:00Z')))).toBeGreaterThan(0);
    expect((await call(`/v3/devices/${deviceId}/echo`)).status).toBe(404);
  });

  it('an expiration of the registration is no connection', async () => {
    const deviceId = newId();
    const [registeredAt, expiredAt] = ['2024-06-15T00:00:00.000Z', '2024-11-15T00:00:00.000Z'];
    const times = (): Promise<unknown[]> =>
      database.query('SELECT registration_event_at, last_connected_at FROM snapshot.devices WHERE device_id = $1', [
        deviceId,
      ]);
    const expectTimes = (eventAt: string, connectedAt: string): Promise<void> =>
      eventually(async () =>
        expect(await times()).toEqual([
          { registration_event_at: new Date(eventAt), last_connected_at: new Date(connectedAt) },
        ]),
      );
    await producer.send(DeviceSessions, { ...session(deviceId), occurredAt: registeredAt });
    await expectTimes(registeredAt, registeredAt);
    const expired = { ...session(deviceId), change: 'expired', reason: 'lifetime', occurredAt: expiredAt } as const;
    await producer.send(DeviceSessions, expired);
    await expectTimes(expiredAt, registeredAt);
  });

  it.each([
    ['2025-03-01T12:00:00Z', '2025-08-31T23:00:00Z', 1],
    ['2025-03-01T12:00:00Z', '2025-09-01T15:00:00Z', 0],
    ['2024-02-29T12:00:00Z', '2024-08-29T12:30:00Z', 1],
    ['2024-02-29T12:00:00Z', '2024-08-31T15:00:00Z', 0],
    // By the fast clock of one replica.
    ['2098-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 1],
  ])('last connected at %s, at %s it has %i resources', async (at, then, count) => {
    const deviceId = newId();
    const insert = `INSERT INTO snapshot.devices (device_id, account_id, last_connected_at) VALUES ($1, $2, $3)`;
    await database.query(insert, [deviceId, accountId, at]);
    await database.query(`INSERT INTO snapshot.resources (device_id, path) VALUES ($1, '/3/0/1')`, [deviceId]);
    await purge(database, new TestClock(Date.parse(then)));
    expect(await database.query('SELECT 1 FROM snapshot.resources WHERE device_id = $1', [deviceId])).toHaveLength(
      count,
    );
  });

  it('a device of the directory has an empty one then, and what is desired meanwhile ends in its turn', async () => {
    const deviceId = newId();
    const created = { ...(fixtures(DeviceLifecycle).valid['created'] as DeviceLifecycleChanged), accountId, deviceId };
    await producer.send(DeviceLifecycle, { ...created, changedAt: '2025-01-01T00:00:00Z' });
    await eventually(async () => expect((await call(`/v3/devices/${deviceId}/echo`)).status).toBe(200));
    await producer.send(DeviceValues, { ...value(deviceId, 3, 1, '1'), observedAt: '2025-01-02T00:00:00Z' });
    await eventually(async () => expect((await echo(deviceId)).resources).toHaveLength(1));
    await purge(database, new TestClock(Date.parse('2025-08-01T00:00:00Z')));
    expect(await echo(deviceId)).toMatchObject({ endpoint_name: 'meter-7', resources: [] });
    await producer.send(DeviceCommands, { ...write(deviceId), acceptedAt: '2025-08-02T00:00:00Z' });
    await eventually(async () => expect((await echo(deviceId)).resources).toMatchObject([{ desired: { status: 0 } }]));
    await purge(database, new TestClock(Date.parse('2025-12-31T00:00:00Z')));
    expect((await echo(deviceId)).resources).toHaveLength(1);
    await purge(database, new TestClock(Date.parse('2026-02-02T00:00:00Z')));
    expect((await echo(deviceId)).resources).toEqual([]);
  });
});
