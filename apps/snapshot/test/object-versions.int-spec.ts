import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type DeviceCommandAccepted,
  DeviceCommands,
  DeviceModels,
  type DeviceSessionChanged,
  DeviceSessions,
  DeviceValues,
  fixtures,
  type ResourceValueArrived,
} from '@lanyard/contracts';
import type { KafkaProducer } from '@lanyard/kafka';
import { AccountModels } from '@lanyard/lwm2m';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { TestSystem } from './test-system.js';

const object = 33_000;

interface Echo {
  resources: { resource_path: string; type?: string }[];
}

describe('versions of an object', () => {
  let system: TestSystem;
  let producer: KafkaProducer;
  let accountId: string;

  beforeAll(async () => {
    system = await TestSystem.start('snapshot-versions');
    ({ accountId, producer } = system);
  });
  afterAll(() => system?.stop());

  const echo = async (deviceId: string): Promise<Echo> => {
    const response = await system.call(`/v3/devices/${deviceId}/echo`);
    expect(response.status).toBe(200);
    return (await response.json()) as Echo;
  };

  it('values are read by the one that the device registered, also when it changes', async () => {
    const deviceId = newId();
    const about = { accountId, deviceId };
    const model = (version: string, type: 'integer' | 'string') => ({
      ...{ accountId, object, name: 'Meter', version, changedAt: '2024-01-01T10:00:00Z' },
      resources: [{ id: 1, name: 'Reading', type, operations: 'RW' as const, multiple: false }],
    });
    const models = system.part(AccountModels);
    for (const [version, type] of [
      ['1.0', 'integer'],
      ['1.1', 'string'],
    ] as const) {
      await producer.send(DeviceModels, model(version, type));
      // A value that is read before its model, which is on another topic, stays as it came.
      const read = (): unknown => models.registryOf(accountId, { [object]: version }).resource(object, 1)?.type;
      await eventually(() => expect(read()).toBe(type));
    }
    const [path, ct, payload] = ['/33000/0', 'application/vnd.oma.lwm2m+tlv', Buffer.from([0xc1, 1, 42])];
    const bytes = payload.toString('base64');
    const reads = (expected: object): Promise<void> =>
      eventually(async () => {
        const found = (await echo(deviceId)).resources.find((one) => one.resource_path === `${path}/1`);
        expect(found).toMatchObject(expected);
      });
    const came = async (
      epoch: number,
      type: string,
      decoded: unknown,
      objectVersions?: Record<string, string>,
    ): Promise<void> => {
      const registered = fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged;
      const listed = { ep: deviceId, resources: [{ path, obs: true }] };
      await producer.send(DeviceSessions, { ...registered, ...about, item: listed, epoch, objectVersions });
      const value = fixtures(DeviceValues).valid['notification for one key'] as ResourceValueArrived;
      const item = { ...value.item, ep: deviceId, path, ct, payload: bytes };
      await producer.send(DeviceValues, { ...value, ...about, item, epoch, objectVersions });
      const write = fixtures(DeviceCommands).valid['write'] as DeviceCommandAccepted;
      const command = { ...write, ...about, commandId: newId(), path, contentType: ct, payload: bytes };
      await reads({ type, reported: { decoded } });
      await producer.send(DeviceCommands, command);
      await reads({ type, desired: { decoded } });
    };
    await came(1, 'string', '*', { [object]: '1.1' });
    await came(2, 'integer', 42);
  });
});
