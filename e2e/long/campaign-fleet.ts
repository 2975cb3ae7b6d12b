import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { firmwareOf, Simulator } from '../../tools/testing/simulator.ts';
import type { Application, Running } from '../application.ts';
import { fresh } from '../journeys.ts';
import type { RunningSystem } from '../system.ts';

const fleetSize = 200;
const concurrency = 20;

/** The largest package that a device fetches without waiting for a message id (RFC 7252 §4.4): 64,512 round trips. */
const largeBytes = 63 * 2 ** 20;

/** Time limit of a campaign, which takes about a minute. */
const campaignMaxMs = 1_500_000;

const scenario = (server: string): string => `
registrations-per-second: 100
defaults:
  server: ${server}
  device-type: fleet
  values-per-second: 0
  firmware-install-seconds: 0
  firmware-reboot-seconds: 0
groups:
  fleet: {devices: ${fleetSize}}
  faulty: {devices: 12, device-type: faulty, firmware-failure: integrity}
  large: {devices: 1, device-type: large}
`;

interface CampaignDevice {
  device_id: string;
  event_code: string;
}

/** The system polls devices every 250 ms. */
export const campaignsWithFleet = (given: () => Running): void => {
  let system: RunningSystem;
  let app: Application;
  let fleet: Simulator;
  let folder: string;

  const upload = async (image: Buffer, version: string): Promise<string> => {
    const { status, json, text } = await app.call(
      'POST',
      `/v3/firmware-images?name=${fresh('image')}&version=${version}`,
      image,
    );
    expect([status, text]).toEqual([201, text]);
    return json.id;
  };

  const start = async (imageId: string, type: string, fields: object = {}): Promise<string> => {
    const { status, json, text } = await app.call('POST', '/v3/update-campaigns', {
      ...{ name: fresh('campaign'), firmware_image_id: imageId, filter: `endpoint_type=${type}`, ...fields },
    });
    expect([status, text]).toEqual([201, text]);
    expect((await app.call('POST', `/v3/update-campaigns/${json.id}/start`)).status).toBe(200);
    return json.id;
  };

  const get = async (id: string, more = '') => (await app.call('GET', `/v3/update-campaigns/${id}${more}`)).json;

  const devicesOf = async (id: string, state: string): Promise<CampaignDevice[]> =>
    (await get(id, `/devices?limit=1000&state=${state}`)).data;

  const ended = (id: string, state: string): Promise<void> =>
    eventually(async () => expect((await get(id)).state).toBe(state), { intervalMs: 500, timeoutMs: campaignMaxMs });

  beforeAll(async () => {
    ({ system, app } = given());
    folder = mkdtempSync(join(tmpdir(), 'lanyard-e2e-campaigns-'));
    const file = join(folder, 'fleet.yaml');
    writeFileSync(file, scenario(system.coapUrls[0] as string));
    fleet = await Simulator.start({ scenario: file });
    await eventually(async () => expect((await fleet.state()).registered).toBe(fleetSize + 13));
  });

  afterAll(async () => {
    await fleet?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it('two at once update 200 devices, each device once, over kill -9 of campaigns', async () => {
    const imageId = await upload(firmwareOf('2.0.0', 20_000), '2.0.0');
    const ids = [
      await start(imageId, 'fleet', { concurrency, retries: 3 }),
      await start(imageId, 'fleet', { concurrency, retries: 3 }),
    ];
    const [first = '', second = ''] = ids;
    let isKilled = false;
    let most = 0;
    await eventually(
      async () => {
        const [a, b] = await Promise.all(ids.map((id) => get(id, '/progress')));
        most = Math.max(most, a.updating ?? 0, b.updating ?? 0);
        if (!isKilled && a.succeeded + b.succeeded > 40) {
          isKilled = true;
          system.signal('campaigns-0', 'SIGKILL');
          await system.restart('campaigns-0');
        }
        expect([a.is_selection_complete, a.waiting + a.updating + b.waiting + b.updating]).toEqual([true, 0]);
      },
      { intervalMs: 200, timeoutMs: campaignMaxMs },
    );
    for (const id of ids) await ended(id, 'done');
    expect(isKilled).toBe(true);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(concurrency);
    const [inFirst, inSecond] = await Promise.all(ids.map((id) => devicesOf(id, 'succeeded')));
    const [skippedFirst, skippedSecond] = await Promise.all(ids.map((id) => devicesOf(id, 'skipped')));
    const updated = [...inFirst!, ...inSecond!].map((one) => one.device_id);
    expect(new Set(updated).size).toBe(updated.length);
    expect(updated).toHaveLength(fleetSize);
    expect([...inFirst!, ...skippedFirst!]).toHaveLength(fleetSize);
    expect([...inSecond!, ...skippedSecond!]).toHaveLength(fleetSize);
    expect(await fleet.events('firmware-updated')).toBe(fleetSize);
    const log = async (id: string, code: string): Promise<number> =>
      (await app.call('GET', `/v3/device-events?event_code=${code}&limit=1000`)).json.data.filter(
        ({ data }: { data: Record<string, string> }) => data['campaign_id'] === id,
      ).length;
    for (const id of [first, second]) await eventually(async () => expect(await log(id, 'SYS_108')).toBe(fleetSize));
    // Devices are added long before their updates end: the log may have the former without the latter.
    await eventually(async () =>
      expect((await log(first, 'SYS_112')) + (await log(second, 'SYS_112'))).toBe(fleetSize),
    );
  }, 2_400_000);

  it('one stops when too many devices fail', async () => {
    const imageId = await upload(firmwareOf('2.0.0', 5_000), '2.0.0');
    const fields = { concurrency: 2, retries: 0, failure_percent_max: 50, failure_count_min: 3 };
    const id = await start(imageId, 'faulty', fields);
    await ended(id, 'aborted');
    const [failed, stopped] = [await devicesOf(id, 'failed'), await devicesOf(id, 'stopped')];
    expect(failed.length).toBeGreaterThanOrEqual(3);
    expect(failed.length + stopped.length).toBe(12);
    expect(new Set(stopped.map((one) => one.event_code))).toEqual(new Set(['SYS_109']));
  }, 2_400_000);

  it('one pulls a large package block by block', async () => {
    const head = firmwareOf('3.0.0', 0).length;
    const imageId = await upload(firmwareOf('3.0.0', largeBytes - head), '3.0.0');
    const id = await start(imageId, 'large');
    await ended(id, 'done');
    expect(await devicesOf(id, 'succeeded')).toHaveLength(1);
  }, 2_400_000);
};
