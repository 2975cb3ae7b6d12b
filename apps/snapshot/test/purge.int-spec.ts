import { describe, expect, it } from '@jest/globals';
import {
  DeviceSessions,
  type DeviceSessionChanged,
  DeviceValues,
  fixtures,
  type ResourceValueArrived,
} from '@lanyard/contracts';
import { createLogger, newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { DeviceWriter } from '../src/devices/device-writer.js';
import { PurgeService } from '../src/retention/purge.service.js';
import { testDatabase } from './test-database.js';

describe('the purge of snapshots', () => {
  const database = testDatabase('purge');

  it('keeps one for 6 months after the last value, which a replica that was restarted did not compare', async () => {
    const [deviceId, epoch] = [newId(), 3];
    const registered = fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged;
    const value = fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived;
    const occurredAt = '2024-06-15T00:00:00.000Z';
    await new DeviceWriter(database()).applySessions([{ ...registered, deviceId, epoch, occurredAt }]);
    const restarted = new DeviceWriter(database());
    for (const observedAt of ['2024-06-15T00:59:00.000Z', '2024-06-15T01:58:00.000Z'])
      await restarted.applyValues([{ ...value, deviceId, epoch, observedAt }]);
    const keptAt = async (time: string): Promise<boolean> => {
      const logger = createLogger({ app: 'test', replicaId: 'test', level: 'error' });
      await Object.assign(new PurgeService(database()), { clock: new TestClock(Date.parse(time)), logger }).purge();
      const rows: unknown[] = await database().query('SELECT FROM snapshot.devices WHERE device_id = $1', [deviceId]);
      return rows.length === 1;
    };
    expect(await keptAt('2024-12-15T01:57:00Z')).toBe(true);
    expect(await keptAt('2024-12-15T03:00:00Z')).toBe(false);
  });
});
