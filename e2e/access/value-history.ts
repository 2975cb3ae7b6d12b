import { expect } from '@jest/globals';
import { eventually, thermometer } from '@lanyard/testing';
import type { Application, Reply } from '../application.ts';
import { fresh, sensor } from '../journeys.ts';

const celsius = 21.625;

/** The answer without the parts that differ between two answers in any case. */
const toldBy = ({ status, text }: Reply, deviceId: string): string =>
  `${status} ${text.replace(/"request_id":"[^"]*"/, '').replaceAll(deviceId, '')}`;

/** The recent values of a device can only be read with the permission, and within its device groups and its account. */
export const valueHistory = async (admin: Application, stranger: Application, coapUrl: string): Promise<void> => {
  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    const { status, json } = await admin.call('POST', path, body);
    expect(status).toBeLessThan(300);
    return json as Record<string, string>;
  };
  const keyOf = async (permissions: string[], ...deviceGroups: string[]): Promise<Application> => {
    const { id } = await make('/v3/policy-groups', { name: fresh('history'), permissions });
    const limit = deviceGroups.length > 0 ? { device_groups: deviceGroups } : {};
    return admin.as((await make('/v3/api-keys', { name: fresh('history'), groups: [id], ...limit })).key as string);
  };
  const { device } = thermometer({ name: fresh('history'), server: coapUrl });
  const { id = '' } = await make('/v3/devices', { endpoint_name: device.name });
  const groups = await Promise.all([1, 2].map(() => make('/v3/device-groups', { name: fresh('history') })));
  const [within = '', elsewhere = ''] = groups.map((group) => group.id as string);
  const move = (how: 'add' | 'remove'): Promise<Reply> =>
    admin.call('POST', `/v3/device-groups/${within}/devices/${how}`, { device_id: id });
  await move('add');
  await device.open();
  try {
    await device.register();
    expect((await admin.call('PUT', `/v2/subscriptions/${id}${sensor}`)).status).toBeLessThan(300);
    const historyFor = (app: Application, deviceId = id): Promise<Reply> =>
      app.call('GET', `/v3/devices/${deviceId}/history?path=${encodeURIComponent(sensor)}`);
    const reader = await keyOf(['snapshots.read']);
    await eventually(async () => {
      await device.report(sensor, celsius);
      expect((await historyFor(reader)).json.values).toContainEqual(expect.objectContaining({ decoded: celsius }));
    });

    const others = await keyOf(['devices.read', 'events.read', 'subscriptions', 'commands', 'admin']);
    const denied = await historyFor(others);
    expect([denied.status, denied.json]).toMatchObject([403, { type: 'access_denied' }]);
    expect(denied.json.message).toContain('snapshots.read');

    const limited = await keyOf(['snapshots.read'], within);
    expect((await historyFor(limited)).json.values).toContainEqual(expect.objectContaining({ decoded: celsius }));
    const unknown = id.replaceAll(/[0-9a-f]/g, '0');
    const seesNothing = async (app: Application): Promise<void> => {
      const [real, invented] = [await historyFor(app), await historyFor(app, unknown)];
      expect(real.text).not.toContain(String(celsius));
      expect(toldBy(real, id)).toBe(toldBy(invented, unknown));
    };
    await seesNothing(await keyOf(['snapshots.read'], elsewhere));
    await seesNothing(stranger);
    await move('remove');
    await seesNothing(limited);
  } finally {
    await device.close();
  }
};
