import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { Application } from '../application.ts';
import { fresh } from '../journeys.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { type Disturbance, UpdatingDevice } from '../updating-device.ts';
import { campaignsWithFleet } from './campaign-fleet.ts';

const imageBytes = 300_000;
const ends = ['SYS_100', 'SYS_101', 'SYS_103', 'SYS_104', 'SYS_109', 'SYS_110', 'SYS_111', 'SYS_112'];

interface CampaignDevice {
  device_id: string;
  endpoint_name: string;
  state: string;
  reason: string | null;
  event_code: string;
  attempt: number;
}

describe('an update campaign', () => {
  let system: RunningSystem;
  let app: Application;
  const image = randomBytes(imageBytes);
  const wanted = { checksum: createHash('sha256').update(image).digest('hex'), version: '2.0' };
  const type = fresh('updating');
  const devices = new Map<string, UpdatingDevice>();

  const device = async (name: string, disturbance: Disturbance = {}, queueMode = false): Promise<UpdatingDevice> => {
    const options = { name: fresh(name), server: system.coapUrls[0] as string, queueMode, parameters: { et: type } };
    const made = new UpdatingDevice({ ...options, lifetimeSeconds: 3_600 }, wanted, disturbance);
    await made.client.open();
    await made.client.register();
    devices.set(await app.deviceId(made.client.name), made);
    return made;
  };

  const upload = async (): Promise<string> => {
    const query = `name=${fresh('image')}&version=${wanted.version}&datafile_checksum=${wanted.checksum}`;
    const { status, json, text } = await app.call('POST', `/v3/firmware-images?${query}`, image);
    expect([status, text]).toEqual([201, text]);
    return json.id;
  };

  const progress = async (id: string): Promise<Record<string, number>> =>
    (await app.call('GET', `/v3/update-campaigns/${id}/progress`)).json;

  const act = async (id: string, action: string, state: string): Promise<void> => {
    const { status, json, text } = await app.call('POST', `/v3/update-campaigns/${id}/${action}`);
    expect([status, json.state, text]).toEqual([200, state, text]);
  };

  beforeAll(async () => {
    system = await startSystem('campaigns', {
      without: ['snapshot', 'dispatcher'],
      env: { CAMPAIGNS_POLL_MIN_MS: '250' },
    });
    app = new Application(system.baseUrl, system.adminKey);
  });

  afterAll(async () => {
    await Promise.all([...devices.values()].map(({ client }) => client.close()));
    await system?.stop();
  });

  it('ends each device in one state, over a pause and kill -9 of campaigns and device-proxy; the event log agrees', async () => {
    for (let n = 0; n < 7; n++) await device('good');
    const corrupt = await device('corrupt', { isCorrupt: true });
    const dying = await device('dying', { diesOnce: true });
    const sleeper = await device('sleeper', {}, true);
    await sleeper.client.sleep();

    const made = await app.call('POST', '/v3/update-campaigns', {
      ...{ name: fresh('campaign'), firmware_image_id: await upload(), filter: `endpoint_type=${type}` },
      ...{ concurrency: 3, retries: 3 },
    });
    expect([made.status, made.text]).toEqual([201, made.text]);
    const { id } = made.json;

    await act(id, 'dry-run', 'draft');
    await eventually(async () =>
      expect((await app.call('GET', `/v3/update-campaigns/${id}`)).json.dry_run).toMatchObject({
        state: 'done',
        devices: 10,
      }),
    );

    await act(id, 'start', 'scheduled');
    await eventually(async () => expect((await progress(id))['succeeded']).toBeGreaterThan(0));
    await act(id, 'pause', 'paused');
    await eventually(async () => expect((await progress(id))['updating']).toBe(0));
    const { waiting } = await progress(id);
    expect(waiting).toBeGreaterThan(0);
    await act(id, 'resume', 'running');

    await eventually(async () => expect((await progress(id))['updating']).toBeGreaterThan(0));
    system.signal('campaigns-0', 'SIGKILL');
    await system.restart('campaigns-0');
    await eventually(async () => expect((await progress(id))['succeeded']).toBeGreaterThan(3));
    system.signal('device-proxy-0', 'SIGKILL');
    await system.restart('device-proxy-0');

    await sleeper.client.open();
    await eventually(() => sleeper.client.update());
    await eventually(async () => {
      expect((await app.call('GET', `/v3/update-campaigns/${id}`)).json.state).toBe('done');
    });

    const { json } = await app.call('GET', `/v3/update-campaigns/${id}/devices?limit=100`);
    const all = json.data as CampaignDevice[];
    const idOf = (one: UpdatingDevice): string => [...devices].find(([, other]) => other === one)?.[0] ?? '';
    expect(all.map((one) => one.device_id).toSorted()).toEqual([...devices.keys()].toSorted());
    for (const one of all) {
      const expected =
        one.device_id === idOf(corrupt)
          ? { state: 'failed', event_code: 'SYS_111', reason: 'integrity check failed' }
          : { state: 'succeeded', event_code: 'SYS_112', reason: null };
      expect(one).toMatchObject(expected);
      expect(devices.get(one.device_id)?.installations).toBe(one.state === 'succeeded' ? 1 : 0);
    }
    expect(dying.offsets).toEqual([0, 100_000]);

    for (const one of all)
      await eventually(async () => {
        const log = await app.call('GET', `/v3/device-events?device_id=${one.device_id}&limit=1000&order=ASC`);
        const codes = (log.json.data as { event_code: string; data: Record<string, string> }[])
          .filter(({ data }) => data['campaign_id'] === id)
          .map((entry) => entry.event_code);
        expect(codes).toEqual(['SYS_108', one.event_code]);
        expect(codes.filter((code) => ends.includes(code))).toHaveLength(1);
      });
  });

  it('skips devices that are up to date', async () => {
    const made = await app.call('POST', '/v3/update-campaigns', {
      ...{ name: fresh('again'), firmware_image_id: await upload(), filter: `endpoint_type=${type}`, concurrency: 10 },
      retries: 0,
    });
    const { id } = made.json;
    await act(id, 'start', 'scheduled');
    const [sleeper] = [...devices.values()].filter(({ client }) => client.name.startsWith('sleeper'));
    await sleeper?.client.update();
    await eventually(async () =>
      expect(await progress(id)).toMatchObject({ devices: 10, skipped: 9, failed: 1, waiting: 0, updating: 0 }),
    );
  });

  describe('with a fleet', () => campaignsWithFleet(() => ({ system, app })));
});
