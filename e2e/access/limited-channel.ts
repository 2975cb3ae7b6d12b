import { expect } from '@jest/globals';
import { type DeviceClient, eventually, thermometer } from '@lanyard/testing';
import type { Application } from '../application.ts';
import { fresh, sensor } from '../journeys.ts';

/** Each reported value is different. */
let degrees = 0;

/** How long to wait for an event before the device sends its message again. */
const againAfterMs = 5_000;

interface Known {
  device: DeviceClient;
  id: string;
}

/** Creates a device in the directory before it connects. */
const known = async (admin: Application, coapUrl: string, name: string): Promise<Known> => {
  const { device } = thermometer({ name: fresh(name), server: coapUrl });
  const { json } = await admin.call('POST', '/v3/devices', { endpoint_name: device.name });
  await device.open();
  return { device, id: json.id };
};

const idsIn = (app: Application): Set<string> =>
  new Set(app.received.flatMap(({ item }) => (typeof item === 'string' ? [item] : [(item as { ep: string }).ep])));

/** The channel of a limited key, its rules, its stream and its list of registered devices contain its devices only. */
export const limitedChannel = async (admin: Application, coapUrl: string): Promise<void> => {
  const [mine, other] = [await known(admin, coapUrl, 'mine'), await known(admin, coapUrl, 'other')];
  const group = (await admin.call('POST', '/v3/device-groups', { name: fresh('limit') })).json.id as string;
  const move = (how: 'add' | 'remove', { id }: Known): Promise<unknown> =>
    admin.call('POST', `/v3/device-groups/${group}/devices/${how}`, { device_id: id });
  await move('add', mine);
  const { json } = await admin.call('POST', '/v3/api-keys', { name: 'limited', device_groups: [group] });
  const [limited, all] = [admin.as(json.key), await admin.another('all')];
  const leaving = new AbortController();
  const streamed: (string | undefined)[] = [];
  const stream = await limited.lanyard.tail({ signal: leaving.signal });
  const following = (async () => {
    for await (const entry of stream) streamed.push(entry.device_id);
  })();
  try {
    for (const app of [limited, all]) {
      await app.connects();
      const rules = [{ 'resource-path': [sensor] }];
      expect((await app.call('PUT', '/v2/subscriptions', rules)).status).toBeLessThan(300);
    }
    // Before that, an event of the device would not be in the stream.
    await eventually(async () => {
      const events = `/v3/device-events?device_id=${mine.id}`;
      expect((await limited.call('GET', events)).json.data).not.toEqual([]);
    });
    /** The dispatcher drops events until it has read the membership itself, so the device repeats its message. */
    const hears = async (
      app: Application,
      { id, device }: Known,
      category: 'registrations' | 'reg-updates' = 'registrations',
    ): Promise<void> => {
      const isHeard = (): boolean => app.items(category).some((item) => item.ep === id);
      await eventually(async () => {
        await (category === 'registrations' ? device.register() : device.update());
        await eventually(isHeard, { timeoutMs: againAfterMs });
      });
      await eventually(async () => {
        await device.report(sensor, ++degrees);
        expect(app.values(sensor, id).length).toBeGreaterThan(0);
      });
    };
    await hears(all, other);
    await hears(limited, mine);
    expect([...idsIn(limited)]).toEqual([mine.id]);
    const subscribed = await all.call('GET', `/v2/subscriptions/${other.id}`);
    expect(subscribed.text).toContain(sensor);
    // The directory learns of the registration independently of the dispatcher.
    await eventually(async () => {
      const endpoints = (await limited.call('GET', '/v2/endpoints')).json as { name: string }[];
      expect(endpoints.map(({ name }) => name)).toEqual([mine.id]);
    });
    await eventually(() => expect(streamed).toContain(mine.id));
    expect(streamed.filter((id) => id !== mine.id)).toEqual([]);

    // The subscription stays when the device leaves the group, but delivers nothing.
    await move('remove', mine);
    await move('add', other);
    await eventually(async () =>
      expect((await limited.call('GET', `/v3/device-events?device_id=${other.id}`)).json.data).not.toEqual([]),
    );
    await hears(limited, other, 'reg-updates');
    /** How many values of the removed device reach the limited key, while both devices report. */
    const leaked = async (): Promise<number> => {
      const before = limited.values(sensor, mine.id).length;
      const seen = all.values(sensor, mine.id).length;
      await eventually(async () => {
        await mine.device.report(sensor, ++degrees);
        expect(all.values(sensor, mine.id).length).toBeGreaterThan(seen + 2);
      });
      const last = limited.values(sensor, other.id).length;
      await eventually(async () => {
        await other.device.report(sensor, ++degrees);
        expect(limited.values(sensor, other.id).length).toBeGreaterThan(last);
      });
      return limited.values(sensor, mine.id).length - before;
    };
    // The dispatcher may read the two moves in either order.
    await eventually(async () => expect(await leaked()).toBe(0));
    expect(await leaked()).toBe(0);
  } finally {
    leaving.abort();
    await following.catch(() => undefined);
    for (const app of [limited, all]) app.closes();
    for (const { device } of [mine, other]) await device.close();
  }
};
