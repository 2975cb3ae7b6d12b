import { DeviceGroups } from '@lanyard/contracts';
import { type Identity, newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceGroupsReader } from '../src/state/device-groups.reader.js';
import type { RunningProxy } from './running-proxy.js';
import { newKey, TestSystem } from './test-system.js';

describe('a key that is limited to device groups cancels by async-id', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let mine: string;
  let others: string;
  /** The key before it was limited, and now. */
  let unlimited: Identity;
  let limited: Identity;

  /** A device in a group of its own that is not registered: its commands wait. */
  const absent = async (name: string, group: string): Promise<string> => {
    const { accountId } = system;
    const deviceId = newId();
    await system.lifecycle(deviceId, name, 'created');
    await system.knows(proxy, name);
    const changedAt = new Date().toISOString();
    await system.announce(DeviceGroups, { deviceId, accountId, groups: [group], revision: 1, changedAt });
    const known = proxy.app.get(DeviceGroupsReader, { strict: false });
    await eventually(() => expect(known.get(deviceId)).toEqual([group]));
    return deviceId;
  };

  beforeAll(async () => {
    system = await TestSystem.create('limited-commands');
    proxy = await system.proxy('dp-0');
    const group = newId();
    mine = await absent('mine', group);
    others = await absent('others', newId());
    unlimited = newKey(system.accountId);
    limited = { ...unlimited, deviceGroups: [group] };
  });
  afterAll(() => system.close());

  const send = async (deviceId: string, asyncId: string): Promise<void> => {
    const body = { method: 'POST', uri: '/3/0/4' };
    const path = `/v2/device-requests/${deviceId}?async-id=${asyncId}`;
    expect(await system.call(proxy, unlimited, 'POST', path, body)).toMatchObject({ status: 202 });
  };

  const cancel = async (key: Identity, asyncId: string): Promise<number> =>
    (await system.call(proxy, key, 'DELETE', `/v3/device-requests/${asyncId}`)).status;

  const stateAt = async (deviceId: string, asyncId: string): Promise<unknown> => {
    const path = `/v3/device-requests?async_id=${asyncId}&device_id=${deviceId}`;
    const { data } = (await system.call(proxy, unlimited, 'GET', path)).json as { data?: { state: string }[] };
    return data?.map(({ state }) => state);
  };

  it('no command of another device, even if no other waits', async () => {
    await send(others, 'older-elsewhere');
    await send(mine, 'older-elsewhere');
    expect(await cancel(limited, 'older-elsewhere')).toBe(204);
    expect(await cancel(limited, 'older-elsewhere')).toBe(409);
    expect(await stateAt(mine, 'older-elsewhere')).toEqual(['cancelled']);
    expect(await stateAt(others, 'older-elsewhere')).toEqual(['waiting']);
  });

  it('its own command, even if the newest is one of another device', async () => {
    await send(mine, 'newer-elsewhere');
    await send(others, 'newer-elsewhere');
    expect(await cancel(limited, 'newer-elsewhere')).toBe(404);
    expect(await cancel(unlimited, 'newer-elsewhere')).toBe(204);
    expect(await stateAt(others, 'newer-elsewhere')).toEqual(['cancelled']);
    expect(await cancel(limited, 'newer-elsewhere')).toBe(204);
    expect(await stateAt(mine, 'newer-elsewhere')).toEqual(['cancelled']);
  });
});
