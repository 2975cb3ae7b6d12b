import { expect } from '@jest/globals';
import { eventually, thermometer } from '@lanyard/testing';
import type { Application } from './application.ts';
import { LeshanDevice } from './leshan-device.ts';

export const sensor = '/3303/0/5700';
export const writable = '/3303/0/5750';

let numbers = 0;

/** A name that is unique within a run. */
export const fresh = (name: string): string => `${name}-${process.pid}-${numbers++}`;

/** A thermometer that is registered, and its id in the directory. */
export const registered = async (
  app: Application,
  name: string,
  server: string,
): Promise<ReturnType<typeof thermometer> & { deviceId: string }> => {
  const demo = thermometer({ name: fresh(name), server });
  await demo.device.open();
  await demo.device.register();
  return Object.assign(demo, { deviceId: await app.deviceId(demo.device.name) });
};

const deviceEvents = async (app: Application, deviceId: string, code: string): Promise<unknown[]> => {
  const answer = await app.call('GET', `/v3/device-events?device_id=${deviceId}&event_type=${code}`);
  expect(answer).toMatchObject({ status: 200, json: { object: 'list' } });
  return answer.json.data as unknown[];
};

/** Reads until the echo shows the expected state of a resource. */
const echoes = async (app: Application, deviceId: string, path: string, expected: object): Promise<void> => {
  await eventually(async () => {
    const { json } = await app.call('GET', `/v3/devices/${deviceId}/echo`);
    expect(json.resources.find((r: { resource_path: string }) => r.resource_path === path)).toMatchObject(expected);
  });
};

const b64 = (text: string): string => Buffer.from(text).toString('base64');

/** Sends a command to a device, and waits for its answer. */
export const asks = async (
  app: Application,
  deviceId: string,
  request: object,
): Promise<{ status: number; payload: string }> => {
  const id = fresh('asks');
  const { status } = await app.call('POST', `/v2/device-requests/${deviceId}?async-id=${id}`, request);
  expect(status).toBe(202);
  return app.answer(id);
};

/** Sends a command to a device with a request that waits for its result: `200 text`. */
export const resultOf = async (app: Application, deviceId: string, request: object): Promise<string> => {
  const path = `/v2/device-requests/${deviceId}?async-id=${fresh('waits')}&wait=60`;
  const { json } = await app.call('POST', path, request);
  return `${json.status} ${Buffer.from(json.payload ?? '', 'base64').toString()}`;
};

/** Writes text to a resource of a device, which accepts it. */
export const writes = async (app: Application, deviceId: string, uri: string, text: string): Promise<void> => {
  const request = { method: 'PUT', uri, 'content-type': 'text/plain', 'payload-b64': b64(text) };
  expect(await asks(app, deviceId, request)).toMatchObject({ status: 200 });
};

/** Subscribes to a path of a device, which accepts it. */
export const subscribes = async (app: Application, deviceId: string, path: string): Promise<void> => {
  const { status, json } = await app.call('PUT', `/v2/subscriptions/${deviceId}${path}`);
  expect([200, 202]).toContain(status);
  expect(await app.answer(json['async-response-id'])).toMatchObject({ status: 200 });
};

/** Journey 1: a third-party device, from registration to resume. The application is connected already. */
export const thirdPartyDevice = async (app: Application, coapUrl: string): Promise<void> => {
  const name = fresh('leshan');
  const device = await LeshanDevice.start(coapUrl, name);
  try {
    await device.says(/^registered/);
    const deviceId = await app.deviceId(name);
    const registration = await app.receives('registrations', (r) => r.ep === deviceId);
    expect(registration.resources.map((r: { path: string }) => r.path)).toContain('/3303/0');

    await subscribes(app, deviceId, sensor);
    await app.receives('notifications', (n) => n.ep === deviceId && n.path === sensor);
    const before = app.values(sensor, deviceId).length;
    device.tell('set 21.5');
    await eventually(() => app.values(sensor, deviceId).length > before);

    const answer = await asks(app, deviceId, { method: 'GET', uri: '/3/0/0' });
    expect(answer.status).toBe(200);
    expect(answer.payload).toContain('Eclipse Leshan');
    await writes(app, deviceId, writable, 'cellar');
    await device.says(/^written 5750 cellar/);
    await echoes(app, deviceId, writable, {
      desired: {
        value: b64('cellar'),
        status: 1,
        desired_at: expect.any(String),
        status_updated_at: expect.any(String),
      },
    });
    await echoes(app, deviceId, sensor, {
      subscribed: true,
      reported: { value: expect.any(String), reported_at: expect.any(String) },
    });
    await eventually(async () => expect(await deviceEvents(app, deviceId, 'SYS_106')).toHaveLength(1));
    await suspendsAndResumes(app, device, deviceId);
  } finally {
    await device.ends();
  }
};

const suspendsAndResumes = async (app: Application, device: LeshanDevice, deviceId: string): Promise<void> => {
  expect((await app.call('POST', `/v3/devices/${deviceId}/suspend`, { category: 'maintenance' })).status).toBe(204);
  await app.receives('de-registrations', (d) => d === deviceId);
  await eventually(async () =>
    expect((await app.call('GET', `/v3/devices/${deviceId}`)).json).toMatchObject({
      lifecycle_status: 'blocked',
      state: 'deregistered',
    }),
  );
  await eventually(async () => expect(await deviceEvents(app, deviceId, 'SYS_201')).toHaveLength(1));
  const since = device.said.length;
  device.tell('update');
  await device.says(/^refused/, { since });
  expect((await app.call('POST', `/v3/devices/${deviceId}/resume`, { category: 'maintenance' })).status).toBe(204);
  await device.says(/^registered/, { since });
  await eventually(async () =>
    expect((await app.call('GET', `/v3/devices/${deviceId}`)).json).toMatchObject({
      lifecycle_status: 'enabled',
      state: 'registered',
    }),
  );
};

/** Journey 4: a command waits for an absent device; with a short expiry it fails. */
export const absentDevice = async (app: Application, coapUrl: string): Promise<void> => {
  const { device, deviceId } = await registered(app, 'absent', coapUrl);
  await device.deregister();
  await app.receives('de-registrations', (d) => d === deviceId);

  const waits = fresh('waits');
  const path = `/v2/device-requests/${deviceId}?async-id=${waits}`;
  expect((await app.call('POST', path, { method: 'GET', uri: '/3/0/0' })).status).toBe(202);
  const expires = fresh('expires');
  const body = { method: 'PUT', uri: '/3341/0/5527', 'content-type': 'text/plain', 'payload-b64': b64('too late') };
  expect(
    (await app.call('POST', `/v2/device-requests/${deviceId}?async-id=${expires}&expiry-seconds=1`, body)).status,
  ).toBe(202);
  expect(await app.answer(expires)).toMatchObject({ status: 429, error: 'REQUEST_EXPIRED' });
  await echoes(app, deviceId, '/3341/0/5527', { desired: { status: 2, value: b64('too late') } });
  await eventually(async () =>
    expect(await deviceEvents(app, deviceId, 'SYS_100')).toMatchObject([{ data: { async_id: expires } }]),
  );
  expect(app.items('async-responses').some((r) => r.id === waits)).toBe(false);

  await device.register();
  expect(await app.answer(waits)).toMatchObject({ status: 200 });
  await device.close();
};
