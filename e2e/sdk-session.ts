import { expect } from '@jest/globals';
import type { thermometer } from '@lanyard/testing';
import type * as Package from 'mbed-cloud-sdk';
import type { Application } from './application.ts';
import { eventually } from '@lanyard/testing';

export type Sdk = typeof Package;

/** Objects that the steps of a session share: those of the SDK, and the device behind the service. */
export interface Session {
  connect: Package.ConnectApi;
  directory: Package.DeviceDirectoryApi;
  accounts: Package.AccountManagementApi;
  foundation: ReturnType<Package.SDK['foundation']>;
  /** An application with the key of the SDK. */
  app: Application;
  demo: ReturnType<typeof thermometer>;
  deviceId: string;
  /** A unique name for something that a step creates. */
  fresh(name: string): string;
  /** Ids that earlier steps created. */
  made: Map<string, string>;
}

/** One use of the SDK, as docs/compatibility.md lists it. */
export interface Step {
  area: string;
  /** Methods of the package that the step calls. */
  calls: string;
  run(session: Session): Promise<void>;
}

const step = (area: string, calls: string, run: Step['run']): Step => ({ area, calls, run });

const sensor = '/3303/0/5700';
const writable = '/3341/0/5527';

const idOf = ({ made }: Session, name: string): string => made.get(name) ?? '';

const commands: Step[] = [
  step('Channel', 'ConnectApi.startNotifications', async ({ connect, app }) => {
    await connect.startNotifications();
    // The SDK has sent its first poll, which creates the channel; a result that arrives before that is done would be lost.
    await app.call('PUT', '/v2/notification/pull', {});
  }),
  step('Commands', 'ConnectApi.getResourceValue', async ({ connect, deviceId }) =>
    expect(await connect.getResourceValue(deviceId, '/3/0/0')).toMatchObject({ value: 'Lanyard' }),
  ),
  step('Commands', 'ConnectApi.setResourceValue', async ({ connect, deviceId, demo }) => {
    await connect.setResourceValue(deviceId, writable, 'from the SDK');
    expect(demo.text).toBe('from the SDK');
  }),
  step(
    'Commands',
    'ConnectApi.executeResource',
    async ({ connect, deviceId }) => void (await connect.executeResource(deviceId, '/3/0/4')),
  ),
  step('Commands', 'ConnectApi.listConnectedDevices', async ({ connect, deviceId }) =>
    eventually(async () =>
      expect((await connect.listConnectedDevices()).data.map((device) => device.id)).toContain(deviceId),
    ),
  ),
  step('Commands', 'ConnectApi.listResources, getResource', async ({ connect, deviceId }) => {
    expect((await connect.listResources(deviceId)).map((resource) => resource.path)).toContain('/3303/0');
    expect((await connect.getResource(deviceId, '/3303/0')).path).toBe('/3303/0');
  }),
];

const subscriptions: Step[] = [
  step(
    'Subscriptions',
    'ConnectApi.addResourceSubscription, getResourceSubscription, deleteResourceSubscription',
    async ({ connect, deviceId, demo }) => {
      const values: unknown[] = [];
      const asked = connect.addResourceSubscription(deviceId, sensor, (_, value) => values.push(value));
      // The package stores the answer's id in a form that it does not find again, so its promise always ends like this.
      await expect(asked).rejects.toMatch(/^Timeout getting async value/);
      await eventually(() => demo.device.isObserved(sensor));
      await demo.device.report(sensor, 30);
      await eventually(() => expect(values).toContain('30'));
      expect(await connect.getResourceSubscription(deviceId, sensor)).toBe(true);
      await connect.deleteResourceSubscription(deviceId, sensor);
      expect(await connect.getResourceSubscription(deviceId, sensor)).toBe(false);
    },
  ),
  step(
    'Subscriptions',
    'ConnectApi.listDeviceSubscriptions, deleteDeviceSubscriptions',
    async ({ connect, deviceId }) => {
      connect.addResourceSubscription(deviceId, sensor).catch(() => undefined);
      await eventually(async () => expect(await connect.listDeviceSubscriptions(deviceId)).toContain(sensor));
      await connect.deleteDeviceSubscriptions(deviceId);
      expect(await connect.getResourceSubscription(deviceId, sensor)).toBe(false);
    },
  ),
  step(
    'Presubscriptions',
    'ConnectApi.updatePresubscriptions, listPresubscriptions, deletePresubscriptions',
    async ({ connect, deviceId }) => {
      await connect.updatePresubscriptions([{ deviceId, resourcePaths: [sensor] }]);
      expect(await connect.listPresubscriptions()).toEqual([
        expect.objectContaining({ deviceId, resourcePaths: [sensor] }),
      ]);
      await connect.deletePresubscriptions();
      expect(await connect.listPresubscriptions()).toEqual([]);
    },
  ),
  step('Channel', 'ConnectApi.stopNotifications', async ({ connect }) => connect.stopNotifications()),
  step('Channel', 'ConnectApi.getWebhook', async ({ connect }) =>
    expect((await connect.getWebhook()) ?? null).toBeNull(),
  ),
];

const devices: Step[] = [
  step('Devices', 'DeviceDirectoryApi.addDevice, getDevice', async (session) => {
    const name = session.fresh('sdk-made');
    const { id } = await session.directory.addDevice({
      name,
      deviceType: 'meter',
      customAttributes: { site: 'north' },
    });
    session.made.set('device', id ?? '');
    session.made.set('name', name);
    expect(await session.directory.getDevice(id ?? '')).toMatchObject({ name, customAttributes: { site: 'north' } });
  }),
  step('Devices', 'DeviceDirectoryApi.listDevices (limit, order, filter, total count)', async (session) => {
    const id = idOf(session, 'device');
    const list = await session.directory.listDevices({
      limit: 10,
      order: 'DESC',
      include: ['totalCount'],
      filter: { name: { $eq: idOf(session, 'name') }, customAttributes: { site: { $eq: 'north' } } },
    });
    expect([list.totalCount, list.data.map((device) => device.id)]).toEqual([1, [id]]);
  }),
  step('Devices', 'DeviceDirectoryApi.updateDevice, deleteDevice', async (session) => {
    const id = idOf(session, 'device');
    await session.directory.updateDevice({ id, description: 'changed' });
    expect(await session.directory.getDevice(id)).toMatchObject({ description: 'changed' });
    await session.directory.deleteDevice(id);
    expect((await session.directory.getDevice(id)) ?? null).toBeNull();
  }),
  step(
    'Saved queries',
    'DeviceDirectoryApi.addQuery, getQuery, listQueries, updateQuery, deleteQuery',
    async ({ directory, fresh }) => {
      const name = fresh('sdk-query');
      const { id = '' } = await directory.addQuery({ name, filter: { state: { $eq: 'registered' } } });
      expect(await directory.getQuery(id)).toMatchObject({ name });
      expect((await directory.listQueries()).data.map((query) => query.id)).toContain(id);
      await directory.updateQuery({ id, name: `${name}-2`, filter: { state: { $eq: 'registered' } } });
      expect(await directory.getQuery(id)).toMatchObject({ name: `${name}-2` });
      await directory.deleteQuery(id);
    },
  ),
  step('Events', 'DeviceDirectoryApi.listDeviceEvents, getDeviceEvent', async ({ directory, deviceId }) => {
    const event = await eventually(async () => {
      const found = (await directory.listDeviceEvents()).data.find((one) => one.deviceId === deviceId);
      if (!found) throw new Error('no event of the device yet');
      return found;
    });
    expect(await directory.getDeviceEvent(event.id ?? '')).toMatchObject({ deviceId });
  }),
];

const groups: Step[] = [
  step('Device groups', 'DeviceGroupRepository.create, read, update, list', async (session) => {
    const repository = session.foundation.deviceGroupRepository();
    const name = session.fresh('sdk-group');
    const { id = '' } = await repository.create({ name, description: 'Made by the SDK' });
    session.made.set('group', id);
    await repository.update({ description: 'Changed by the SDK' }, id);
    expect(await repository.read(id)).toMatchObject({ name, description: 'Changed by the SDK' });
    const listed = await repository.list({ filter: { name: { eq: name } } }).first();
    expect(listed.id).toBe(id);
  }),
  step('Device groups', 'DeviceGroupRepository.addDevice, devices, removeDevice, delete', async (session) => {
    const repository = session.foundation.deviceGroupRepository();
    const [id, { deviceId }] = [idOf(session, 'group'), session];
    await repository.addDevice({ deviceId }, id);
    expect((await repository.devices(id).first()).id).toBe(deviceId);
    await repository.removeDevice({ deviceId }, id);
    expect((await repository.read(id)).devicesCount).toBe(0);
    await repository.delete(id);
  }),
  step('Events', 'DeviceEventsRepository.list, read', async ({ foundation, deviceId }) => {
    const repository = foundation.deviceEventsRepository();
    const event = await repository.list({ filter: { deviceId: { eq: deviceId } } }).first();
    expect(await repository.read(event.id ?? '')).toMatchObject({ deviceId });
  }),
];

const keys: Step[] = [
  step('Account', 'AccountManagementApi.getAccount, updateAccount', async ({ accounts }) => {
    await accounts.updateAccount({ city: 'Ulm', displayName: 'By the SDK' });
    expect(await accounts.getAccount()).toMatchObject({ city: 'Ulm', displayName: 'By the SDK' });
  }),
  step('Key groups', 'AccountManagementApi.listGroups, getGroup, listGroupApiKeys', async (session) => {
    const { data } = await session.accounts.listGroups();
    const developers = data.find((group) => group.name === 'Developers')?.id ?? '';
    session.made.set('developers', developers);
    expect(await session.accounts.getGroup(developers)).toMatchObject({ name: 'Developers' });
    expect(await session.accounts.listGroupApiKeys(developers)).toHaveProperty('data');
  }),
  step(
    'API keys',
    'AccountManagementApi.addApiKey, getApiKey, listApiKeys, updateApiKey, deleteApiKey',
    async (session) => {
      const { accounts } = session;
      const name = session.fresh('sdk-key');
      const { id = '', key = '' } = await accounts.addApiKey({ name, groups: [idOf(session, 'developers')] });
      expect(key).toMatch(/^ak_1/);
      expect((await accounts.listApiKeys()).data.map((one) => one.id)).toContain(id);
      await accounts.updateApiKey({ id, name: `${name}-2` });
      expect(await accounts.getApiKey(id)).toMatchObject({ name: `${name}-2`, status: 'ACTIVE' });
      await accounts.deleteApiKey(id);
      expect((await accounts.getApiKey(id)) ?? null).toBeNull();
    },
  ),
  step('API keys', 'ApiKeyRepository.create, read, list, delete', async ({ foundation, fresh }) => {
    const repository = foundation.apiKeyRepository();
    const { id = '' } = await repository.create({ name: fresh('sdk-key') });
    expect(await repository.read(id)).toMatchObject({ id });
    expect((await repository.list().all()).map((key) => key.id)).toContain(id);
    await repository.delete(id);
  }),
];

/** In this order: the channel is open while commands and subscriptions run. */
export const steps: readonly Step[] = [...commands, ...subscriptions, ...devices, ...groups, ...keys];
