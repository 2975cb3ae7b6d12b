import { DeviceGroups } from '@lanyard/contracts';
import { type Identity, newId } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccessKeysReader } from '../src/state/access-keys.reader.js';
import { DeviceGroupsReader } from '../src/state/device-groups.reader.js';
import type { RunningProxy } from './running-proxy.js';
import { newKey, TestSystem } from './test-system.js';

const [temperature, text] = ['/3303/0/5700', '/3341/0/5527'];

describe('rules of a key that is limited to device groups', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  const [north, south] = [newId(), newId()];

  beforeAll(async () => {
    system = await TestSystem.create('limited-rules');
    proxy = await system.proxy('dp-0');
  });
  afterAll(() => system.close());

  /** Announces the groups of the device, and waits until the replica knows them. */
  const move = async (deviceId: string, groups: string[], revision: number): Promise<void> => {
    const { accountId } = system;
    const changedAt = new Date().toISOString();
    await system.announce(DeviceGroups, { deviceId, accountId, groups, revision, changedAt });
    const known = proxy.app.get(DeviceGroupsReader, { strict: false });
    await eventually(() => expect(known.get(deviceId)).toEqual(groups));
  };

  /** Announces the limit of the key, and waits until the replica knows it. */
  const limit = async ({ keyId }: Identity, group: string, revision: number): Promise<void> => {
    await system.key(keyId, { permissions: ['devices'], deviceGroups: [group], revision });
    const known = proxy.app.get(AccessKeysReader, { strict: false });
    await eventually(() => expect(known.get(keyId)?.deviceGroups).toEqual([group]));
  };

  const put = (app: Identity, deviceId: string, path: string): Promise<unknown> =>
    system.call(proxy, app, 'PUT', '/v2/subscriptions', [{ 'endpoint-name': deviceId, 'resource-path': [path] }]);

  const observes = ({ device }: Thermometer, path: string, is = true): Promise<unknown> =>
    eventually(() => expect(device.isObserved(path)).toBe(is));

  /** A device in the group south that a limited key and another one have rules for; the latter is not limited. */
  const ruled = async (name: string, group: string): Promise<[Thermometer, string, Identity]> => {
    const [limited, other] = [newKey(system.accountId), newKey(system.accountId)];
    const thing = system.thing(proxy, name);
    const deviceId = await system.register(thing);
    await move(deviceId, [south], 1);
    await limit(limited, group, 2);
    await put(limited, deviceId, temperature);
    await put(other, deviceId, text);
    await thing.device.update();
    await observes(thing, text);
    return [thing, deviceId, limited];
  };

  it('match a device that is in its groups at the next update of the device', async () => {
    const [thing, deviceId] = await ruled('moves', north);
    expect(thing.device.isObserved(temperature)).toBe(false);
    await move(deviceId, [south, north], 2);
    await thing.device.update();
    await observes(thing, temperature);
    await move(deviceId, [south], 3);
    await thing.device.update();
    await observes(thing, temperature, false);
    expect(thing.device.isObserved(text)).toBe(true);
  });

  it('match other devices at their next update once the limit of the key is another one', async () => {
    const [thing, , limited] = await ruled('stays', north);
    expect(thing.device.isObserved(temperature)).toBe(false);
    await limit(limited, south, 3);
    await thing.device.update();
    await observes(thing, temperature);
    await limit(limited, north, 4);
    await thing.device.update();
    await observes(thing, temperature, false);
    expect(thing.device.isObserved(text)).toBe(true);
  });
});
