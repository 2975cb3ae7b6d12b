import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import type { Application } from './application.ts';
import { fresh, registered, sensor } from './journeys.ts';

interface Entry {
  at: string;
  service: string;
  what: string;
}

const whats = (timeline: Entry[]): string[] => timeline.map(({ what }) => what);

/** Explains a command that waits, then ends; its device; and a delivered value, each with what it waits for. */
export const explained = async (administrator: Application, coapUrl: string): Promise<void> => {
  const app = await administrator.another(fresh('explained'));
  const serialization = { cfg: { include_uid: true } };
  expect((await app.call('PUT', '/v2/notification/websocket', { serialization })).status).toBe(201);
  await app.connects();
  const { device, deviceId } = await registered(app, 'explained', coapUrl);
  await device.deregister();
  await app.receives('de-registrations', (d) => d === deviceId);

  const asyncId = fresh('waits');
  const command = { method: 'GET', uri: '/3/0/0' };
  expect((await app.call('POST', `/v2/device-requests/${deviceId}?async-id=${asyncId}`, command)).status).toBe(202);
  const explain = async (query: string, by = app): Promise<{ waits_for: string; timeline: Entry[] }> => {
    const { status, json, text } = await by.call('GET', `/v3/explain?${query}`);
    expect([status, text]).toEqual([200, expect.anything()]);
    expect(json.left_out).toEqual([]);
    return json as { waits_for: string; timeline: Entry[] };
  };
  // An explanation leaves out a service that does not answer in time.
  const waiting = await eventually(() => explain(`async-id=${asyncId}`));
  expect(waiting.waits_for).toContain('for the device to register');
  expect(whats(waiting.timeline)).toContain('command.accepted');

  await device.register();
  expect(await app.answer(asyncId)).toMatchObject({ status: 200 });
  await eventually(async () => {
    const ended = await explain(`async-id=${asyncId}`);
    expect(ended.waits_for).toMatch(/^Nothing/);
    const order = whats(ended.timeline).filter((what) => what.startsWith('command.'));
    expect(order).toEqual(['command.accepted', 'command.sent', 'command.succeeded']);
  });

  // The event log and the directory know the device's last message a moment after the command's answer.
  const seen = await eventually(async () => {
    const byId = await explain(`device_id=${deviceId}`);
    const byName = await explain(`device_id=${encodeURIComponent(device.name)}`);
    expect(whats(byName.timeline)).toEqual(whats(byId.timeline));
    expect(new Set(byId.timeline.map(({ service }) => service))).toEqual(
      new Set(['registry', 'device-proxy', 'event-log', 'snapshot']),
    );
    return byId;
  });
  expect(seen.waits_for).toBe('Nothing: the device is registered and listens.');
  expect(seen.timeline.map(({ at }) => at)).toEqual(seen.timeline.map(({ at }) => at).toSorted());

  await app.call('PUT', `/v2/subscriptions/${deviceId}${sensor}`);
  await eventually(() => device.isObserved(sensor));
  await device.report(sensor, 17);
  const { uid } = await app.receives('notifications', (n) => n.ep === deviceId && n.path === sensor);
  await eventually(async () => {
    const event = await explain(`uid=${uid}`);
    expect(event.waits_for).toContain('was confirmed by 1 channel');
    expect(whats(event.timeline)).toEqual(expect.arrayContaining(['event.occurred', 'event.announced']));
  });

  await refuses(administrator, app, { asyncId, deviceId, uid });
  await device.close();
  app.closes();
};

/** Records of another tenant, or of another key, do not exist for the caller. */
const refuses = async (
  administrator: Application,
  app: Application,
  { asyncId, deviceId, uid }: { asyncId: string; deviceId: string; uid: string },
): Promise<void> => {
  const { json } = await administrator.call('POST', '/v3/accounts', { display_name: fresh('stranger') });
  const stranger = app.as(json.admin_key);
  for (const query of [`async-id=${asyncId}`, `device_id=${deviceId}`, `uid=${uid}`])
    expect([query, (await stranger.call('GET', `/v3/explain?${query}`)).status]).toEqual([query, 404]);
  expect((await administrator.call('GET', `/v3/explain?async-id=${asyncId}`)).status).toBe(404);
  for (const query of ['', `async-id=${asyncId}&uid=${uid}`, 'uid=nonsense', `device_id=${deviceId}&limit=x`])
    expect([query, (await app.call('GET', `/v3/explain?${query}`)).status]).toEqual([query, 400]);
};
