import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import type { Application } from './application.ts';
import type { ForeignDevice } from './java-device.ts';
import { asks, sensor, subscribes, writable, writes } from './journeys.ts';

/**
 * Starts a device, and starts it again if it is refused: the listeners know its credential a moment after REST has
 * answered. Resolves with the device when it is registered.
 */
export const startUntilRegistered = (start: () => Promise<ForeignDevice>): Promise<ForeignDevice> =>
  eventually(async () => {
    const device = await start();
    const said = await device.says(/^registered|^not connected|^disconnected|^refused|^timed-out/);
    if (said.startsWith('registered')) return device;
    await device.ends();
    throw new Error('not connected');
  });

interface Life {
  name: string;
  writtenBytes: number;
  /** The line that it prints when it is written to. */
  written?: RegExp;
  updatesWhenTold?: boolean;
}

/**
 * The same life for every third-party device: it is registered, observed, read and written by an application that
 * listens, updates its registration and deregisters. It has the resources 3303/0/5700 and 3303/0/5750, prints
 * `registered`, `written N` (bytes), `updated` and `deregistered`, and receives `set 21.5`, `update` and `stop`. A device that
 * does not support `update` is waited for: it updates its registration by itself before the registration ends.
 */
export const livesItsLife = async (
  app: Application,
  device: ForeignDevice,
  { name, writtenBytes, written = new RegExp(`^written ${writtenBytes}$`), updatesWhenTold = true }: Life,
): Promise<void> => {
  await device.says(/^registered/);
  const deviceId = await app.deviceId(name);
  const registration = await app.receives('registrations', (r) => r.ep === deviceId);
  expect(registration.resources.map((r: { path: string }) => r.path)).toContain('/3303/0');

  await subscribes(app, deviceId, sensor);
  // Compared in the snapshot, which decodes by type, because some devices report in text, some in TLV.
  const reported = async (): Promise<{ subscribed: boolean; reported?: { decoded?: unknown } }> => {
    const { json } = await app.call('GET', `/v3/devices/${deviceId}/echo`);
    return json.resources.find((r: { resource_path: string }) => r.resource_path === sensor);
  };
  for (const value of [21.5, 22.25]) {
    const known = app.values(sensor, deviceId).length;
    device.tell(`set ${value}`);
    await eventually(() => expect(app.values(sensor, deviceId).length).toBeGreaterThan(known));
    await eventually(async () => expect((await reported()).reported?.decoded).toBe(value));
  }

  expect(await asks(app, deviceId, { method: 'GET', uri: sensor })).toMatchObject({ status: 200 });
  await eventually(async () =>
    expect(await reported()).toMatchObject({ subscribed: true, reported: { decoded: 22.25 } }),
  );
  await writes(app, deviceId, writable, 'x'.repeat(writtenBytes));
  await device.says(written);
  expect(await asks(app, deviceId, { method: 'GET', uri: '/3303/0/5999' })).toMatchObject({
    status: 404,
    error: 'RESOURCE_NOT_FOUND',
  });

  if (updatesWhenTold) {
    // The device may have updated its registration before.
    const since = device.said.length;
    device.tell('update');
    await device.says(/^updated/, { since });
  }
  await app.receives('reg-updates', (r) => r.ep === deviceId);
  device.tell('stop');
  await device.says(/^deregistered/);
  await app.receives('de-registrations', (d) => d === deviceId);
};
