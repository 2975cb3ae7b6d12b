import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import type { Application } from './application.ts';
import { fresh, registered, sensor } from './journeys.ts';
import type { TraceReceiver } from '../tools/testing/trace-receiver.ts';

/** One value from datagram to frame, and one command there and back: each is a single trace across the services. */
export const traced = async (app: Application, coapUrl: string, receiver: TraceReceiver): Promise<void> => {
  const { device, deviceId } = await registered(app, 'traced', coapUrl);
  await app.call('PUT', `/v2/subscriptions/${deviceId}${sensor}`);
  await eventually(() => device.isObserved(sensor));

  const datagrams = (): string[] =>
    receiver.spans.filter(({ name }) => name === 'device-proxy notification').map(({ traceId }) => traceId);
  const before = new Set(datagrams());
  await device.report(sensor, 23.25);
  await app.receives(
    'notifications',
    (n) => n.ep === deviceId && n.payload === Buffer.from('23.25').toString('base64'),
  );
  await eventually(() => {
    const paths = datagrams()
      .filter((id) => !before.has(id))
      .map((id) => receiver.path(id));
    expect(paths).toContainEqual([
      'device-proxy: device-proxy notification',
      'dispatcher: dispatcher append',
      'dispatcher: dispatcher deliver',
    ]);
  });

  const traceId = randomBytes(16).toString('hex');
  const asyncId = fresh('traced');
  const path = `/v2/device-requests/${deviceId}?async-id=${asyncId}`;
  const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
  expect((await app.call('POST', path, { method: 'GET', uri: '/3/0/0' }, headers)).status).toBe(202);
  expect(await app.answer(asyncId)).toMatchObject({ status: 200 });
  await eventually(() => {
    const steps = receiver.path(traceId);
    expect(steps.slice(0, 2)).toEqual([
      'gateway: POST /v2/device-requests/:id',
      'device-proxy: POST /v2/device-requests/:id',
    ]);
    expect(steps.slice(2).toSorted()).toEqual([
      'device-proxy: device-proxy command',
      'dispatcher: dispatcher append',
      'dispatcher: dispatcher deliver',
    ]);
  });
  await device.close();
};
