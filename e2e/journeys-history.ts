import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import type { Application } from './application.ts';
import { fresh, registered, sensor } from './journeys.ts';

interface History {
  kept: { hours: number; values: number } | null;
  values: { decoded: number }[];
  steps: { count: number; min: number; max: number; mean: number; last: number }[];
}

/** Reported values are in the history and in the statistics of the device; a lost subscription needs attention. */
export const remembered = async (administrator: Application, coapUrl: string): Promise<void> => {
  const app = await administrator.another(fresh('remembered'));
  await app.call('PUT', '/v2/notification/websocket', {});
  await app.connects();
  const { device, deviceId } = await registered(app, 'remembered', coapUrl);
  const accept = { accept: 'application/json' };
  // A rule may have subscribed to this resource before.
  const { status, json } = await app.call('PUT', `/v2/subscriptions/${deviceId}${sensor}`, undefined, accept);
  expect([200, 202]).toContain(status);
  if (status === 202) await app.answer(json['async-response-id']);
  for (const celsius of [20, 24, 22]) await device.report(sensor, celsius);

  const path = `/v3/devices/${deviceId}/history?path=${encodeURIComponent(sensor)}`;
  const history = async (query = ''): Promise<History> => (await app.call('GET', path + query)).json as History;
  await eventually(async () =>
    expect((await history()).values.map(({ decoded }) => decoded).slice(-3)).toEqual([20, 24, 22]),
  );
  const [step] = (await history('&points=1')).steps;
  expect(step).toMatchObject({ min: 20, max: 24, last: 22 });
  expect((await administrator.call('PUT', '/v3/accounts/me', { value_history: { hours: 0 } })).status).toBe(200);
  await eventually(async () => expect(await history()).toMatchObject({ kept: null, values: [] }));
  expect((await administrator.call('PUT', '/v3/accounts/me', { value_history: null })).status).toBe(200);
  await eventually(async () => expect((await history()).values.length).toBeGreaterThanOrEqual(3));

  await eventually(async () => {
    const { json } = await app.call('GET', '/v3/statistics');
    expect(json.left_out).toEqual([]);
    expect(json.devices.by_state.registered).toBeGreaterThanOrEqual(1);
    const sum = (name: string): number =>
      json.steps.reduce((n: number, one: Record<string, number>) => n + (one[name] ?? 0), 0);
    expect(sum('registrations')).toBeGreaterThanOrEqual(1);
    expect(sum('values')).toBeGreaterThanOrEqual(3);
    expect(sum('commands_succeeded')).toBeGreaterThanOrEqual(1);
  });

  // A full registration: the device has forgotten what it observes (spec §4.4 rule 1).
  await device.register();
  await eventually(async () => {
    const { json } = await app.call('GET', '/v3/attention');
    expect(json.left_out).toEqual([]);
    const [lost] = json.kinds.filter(({ kind }: { kind: string }) => kind === 'lost-subscriptions');
    expect(lost.count).toBeGreaterThanOrEqual(1);
  });
  // Other devices of the account are counted as well.
  await eventually(async () => {
    const { json } = await app.call('GET', '/v3/attention/lost-subscriptions?limit=1000');
    expect(json.data.map(({ device_id }: { device_id: string }) => device_id)).toContain(deviceId);
  });
  await device.close();
};
