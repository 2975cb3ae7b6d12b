import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DeviceClient, eventually, thermometer } from '@lanyard/testing';
import { Application } from '../application.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { fresh } from '../journeys.ts';
import { demonstrated } from '../journeys-device.ts';

const devices = 50;

/** How long the snapshot looks for a device that its replicas have not heard of yet, and a little less: timers may be early. */
const lookedForMs = 450;

/** What an application may read of a device as soon as it is notified of it. */
const pathsOf = (id: string): string[] => [`/v3/devices/${id}`, `/v2/endpoints/${id}`, `/v3/devices/${id}/echo`];

describe('devices that come for the first time', () => {
  const things: DeviceClient[] = [];
  let system: RunningSystem;
  let app: Application;

  beforeAll(async () => {
    system = await startSystem('new-devices', { replicas: { snapshot: 2, registry: 2 }, without: ['campaigns'] });
    app = new Application(system.baseUrl, system.adminKey);
  });
  afterAll(async () => {
    await Promise.all(things.map((device) => device.close()));
    await system?.stop();
  });

  it(`can be read when the application is notified of them: ${devices} of ${devices}`, async () => {
    const channel = await app.lanyard.listen();
    /** The snapshot may answer 404 only after it has looked for the device, and where it is told of it later than that. */
    const read = async (path: string): Promise<string> => {
      const askedAtMs = performance.now();
      const { status } = await app.call('GET', path);
      const isLate = status === 404 && path.endsWith('/echo') && performance.now() - askedAtMs >= lookedForMs;
      if (isLate) await eventually(async () => expect((await app.call('GET', path)).status).toBe(200));
      return `${isLate ? 200 : status} ${path.replace(/[0-9a-f]{32}/, '{id}')}`;
    };
    const answers: Promise<string>[] = [];
    const following = (async () => {
      for await (const { category, item } of channel)
        if (category === 'registrations')
          for (const path of pathsOf((item as { ep: string }).ep)) answers.push(read(path));
    })();
    for (let n = 0; n < devices; n++) {
      const { device } = thermometer({ name: fresh('new'), server: system.coapUrls[0] as string });
      things.push(device);
      await device.open();
      await device.register();
    }
    await eventually(() => expect(answers).toHaveLength(3 * devices));
    channel.close();
    await following.catch(() => undefined);
    const counts: Record<string, number> = {};
    for (const answer of await Promise.all(answers)) counts[answer] = (counts[answer] ?? 0) + 1;
    expect(counts).toEqual(Object.fromEntries(pathsOf('{id}').map((path) => [`200 ${path}`, devices])));
  });

  it('are created in the event log before they are registered', async () => {
    for (const { name } of things.slice(0, 5)) {
      const deviceId = await app.deviceId(name);
      await eventually(async () => {
        const { json } = await app.call('GET', `/v3/device-events?device_id=${deviceId}&order=ASC`);
        const codes = (json.data as { event_code: string }[]).map((event) => event.event_code);
        expect(codes).toEqual(['SYS_200', 'SYS_106']);
      });
    }
  });

  it.each(['UDP', 'DTLS'])(
    'the demonstration device over %s says its id, lists its resources, and notifies of each change',
    async (over) => {
      await app.connects();
      const [url] = over === 'UDP' ? system.coapUrls : system.coapsUrls;
      await demonstrated(app, url as string);
      app.closes();
    },
  );
});
