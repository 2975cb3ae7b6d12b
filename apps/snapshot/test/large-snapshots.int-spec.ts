import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type DeviceSessionChanged,
  DeviceSessions,
  DeviceValues,
  fixtures,
  type ResourceValueArrived,
} from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { SnapshotReader } from '../src/resources/snapshot-reader.js';
import { TestSystem } from './test-system.js';

interface Echo {
  resources: { resource_path: string; reported?: { value: string } }[];
}

describe('a snapshot', () => {
  let system: TestSystem;
  let database: DataSource;

  const call = (deviceId: string): Promise<Response> => system.call(`/v3/devices/${deviceId}/echo`);
  const echo = async (deviceId: string): Promise<Echo> => (await (await call(deviceId)).json()) as Echo;
  const report = async (deviceId: string, values: readonly (readonly [path: string, text: string])[]) => {
    const { accountId, producer } = system;
    const registered = fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged;
    await producer.send(DeviceSessions, { ...registered, item: { ep: deviceId }, accountId, deviceId });
    const base = fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived;
    for (const [n, [path, value]] of values.entries()) {
      const payload = Buffer.from(value).toString('base64');
      const item = { ep: deviceId, path, ct: 'text/plain', payload, 'max-age': 60 };
      await producer.send(DeviceValues, { ...base, item, accountId, deviceId, epoch: 3, sequence: n + 1 });
    }
  };

  beforeAll(async () => {
    system = await TestSystem.start('large-snapshots');
    ({ database } = system);
  });

  afterAll(async () => {
    await system?.stop();
  });

  it('with large values comes in parts, complete and in order', async () => {
    const deviceId = newId();
    const large = 'x'.repeat(200_000);
    const reported = [
      ['/5/0/0', large],
      ['/5/0/1', large],
      ['/3303/0/5700', '21.5'],
    ] as const;
    await report(deviceId, reported);
    const values = ({ resources }: Echo): string[][] =>
      resources.map((one) => [one.resource_path, Buffer.from(one.reported?.value ?? '', 'base64').toString()]);
    await eventually(async () => expect(values(await echo(deviceId))).toEqual(reported));
    const response = await call(deviceId);
    const { headers } = response;
    expect([headers.get('content-type'), headers.get('content-length')]).toEqual([
      'application/json; charset=utf-8',
      null,
    ]);
    expect(await response.json()).toMatchObject({
      object: 'device-echo',
      last_reported_at: '2024-01-01T10:00:00.123456Z',
      resources: [{ subscribed: false }, {}, { name: 'Sensor Value', reported: { decoded: 21.5 } }],
    });
  });

  it('with large values that change while it is sent shows each with its own time, type and unit', async () => {
    const deviceId = newId();
    const unit = '/3303/0/5701';
    await report(deviceId, [
      ['/5/0/0', 'x'.repeat(300_000)],
      [unit, 'Cel'],
      ['/3303/0/5700', '2'.repeat(2_000)],
    ]);
    await eventually(async () => {
      const { resources } = await echo(deviceId);
      expect(resources.map(({ reported }) => reported !== undefined)).toEqual([true, true, true]);
    });
    const snapshot = await system.part(SnapshotReader).read(system.accountId, deviceId, Date.now());
    const at = '2024-02-02T02:02:02.000000Z';
    await database.query(
      `UPDATE snapshot.resources SET reported_value = 'later', reported_content_type = 'text/later', reported_at = $2
       WHERE device_id = $1 AND path = '/5/0/0'`,
      [deviceId, at],
    );
    const later = { value: Buffer.from('later').toString('base64'), content_type: 'text/later', reported_at: at };
    expect(JSON.parse(await text(snapshot as Readable))).toMatchObject({
      resources: [{ resource_path: '/5/0/0', reported: later }, { unit: 'Cel' }, { resource_path: unit }],
    });
  });
});
