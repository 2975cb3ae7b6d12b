import { expect } from '@jest/globals';
import { CallbackReceiver, type DeviceClient, eventually, thermometer } from '@lanyard/testing';
import type { Application } from './application.ts';
import { fresh, sensor, subscribes, thirdPartyDevice } from './journeys.ts';

/** Waits between the calls of a failing callback, seconds (spec §8). */
const schedule = [1, 2, 4];

/** At most 10 % early. A busy machine may be late; unit tests check the schedule itself with their own clock. */
const isKept = (seconds: number, gapMs: number): boolean => gapMs >= seconds * 900;

const numbered = (device: DeviceClient, from: number, to: number): Promise<void>[] =>
  Array.from({ length: to - from }, (_, i) => device.report(sensor, from + i));

/** Journey 2: an application that answers 503 for a while then receives everything, in order and on schedule. */
export const failingCallback = async (admin: Application, coapUrl: string): Promise<void> => {
  const receiver = await new CallbackReceiver().start();
  const app = await admin.another(fresh('callback'));
  const { device } = thermometer({ name: fresh('reporter'), server: coapUrl });
  try {
    await app.registerCallback(receiver, { type: 'v2', cfg: { include_uid: true } });
    expect(receiver.calls[0]).toMatchObject({
      method: 'PUT',
      body: '{}',
      answered: 204,
      headers: { 'x-application': 'e2e' },
    });
    await device.open();
    await device.register();
    const deviceId = await app.deviceId(device.name);
    await subscribes(app, deviceId, sensor);

    receiver.answer(503);
    const failedFrom = receiver.deliveries.length;
    await Promise.all(numbered(device, 100, 200));
    await eventually(() => receiver.deliveries.length >= failedFrom + schedule.length + 1);
    const times = receiver.deliveries.slice(failedFrom, failedFrom + schedule.length + 1).map((d) => d.atMs);
    const gaps = schedule.map((_, i) => (times[i + 1] as number) - (times[i] as number));
    expect(gaps.map((gap, i) => (isKept(schedule[i] as number, gap) ? 'kept' : gap))).toEqual(
      schedule.map(() => 'kept'),
    );

    receiver.answer(204);
    await Promise.all(numbered(device, 200, 250));
    await eventually(() => app.values(sensor, deviceId).includes('249'));
    const sent = Array.from({ length: 150 }, (_, i) => String(100 + i));
    expect(app.values(sensor, deviceId).filter((v) => Number(v) >= 100)).toEqual(sent);
    const uids = app.items('notifications').map((n) => n.uid as string);
    expect(new Set(uids).size).toBe(uids.length);
    await thirdPartyDevice(app, coapUrl);
  } finally {
    await device.close();
    await receiver.stop();
  }
};
