import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { certificateAuthority, eventually } from '@lanyard/testing';
import { introduceDevices } from '../../tools/testing/introduced-devices.ts';
import { firmwareOf, Simulator } from '../../tools/testing/simulator.ts';
import { Application } from '../application.ts';
import { HttpsFront } from '../https-front.ts';
import { fresh } from '../journeys.ts';
import { type RunningSystem, startSystem, udpPort } from '../system.ts';

/** A hundred blocks, and a part of one. */
const imageBytes = 102_500;

const groupSize = 2;

/** A download over HTTPS breaks off twice. */
const httpsBytes = 40_000;

const scenario = ({ coap, coaps }: { coap: string; coaps: string }): string => `
registrations-per-second: 10
defaults:
  values-per-second: 0
  firmware-install-seconds: 0
  firmware-reboot-seconds: 0
groups:
  sensors: {devices: ${groupSize}, server: '${coap}', device-type: sensors}
  meters: {devices: ${groupSize}, server: '${coaps}', credentials-file: keys, device-type: meters, software: true}
  trackers: {devices: ${groupSize}, server: '${coap}', device-type: trackers, software: true, software-instances: 0}
`;

const hourMs = 3_600_000;
const timeOfDay = (ms: number): string => new Date(ms).toISOString().slice(11, 16);

interface Campaign {
  firmware: string;
  type: string;
  /** More of the query of the upload, for packages of object 9. */
  software?: string;
  [field: string]: unknown;
}

describe('a package reaches devices', () => {
  let system: RunningSystem;
  let app: Application;
  let fleet: Simulator;
  let folder: string;
  let https: HttpsFront;

  const start = async ({ firmware, type, software = '', ...fields }: Campaign): Promise<string> => {
    const query = `name=${fresh('image')}&version=${firmware}${software}`;
    const image = await app.call('POST', `/v3/firmware-images?${query}`, firmwareOf(firmware, imageBytes));
    const wanted = { name: fresh('campaign'), firmware_image_id: image.json.id, filter: `endpoint_type=${type}` };
    const { status, json, text } = await app.call('POST', '/v3/update-campaigns', { ...wanted, ...fields });
    expect([status, text]).toEqual([201, text]);
    expect((await app.call('POST', `/v3/update-campaigns/${json.id}/start`)).status).toBe(200);
    return json.id;
  };

  const get = async (id: string, more = '') => (await app.call('GET', `/v3/update-campaigns/${id}${more}`)).json;

  /** How each device of a campaign ended, when all have. */
  const endsOf = async (id: string): Promise<string[]> => {
    await eventually(async () => expect((await get(id)).state).toBe('done'), { intervalMs: 250 });
    const { data } = await get(id, '/devices');
    return (data as Record<string, unknown>[]).map(
      ({ state, delivery, previous_version: before }) => `${state} ${delivery} ${before}`,
    );
  };

  const all = (end: string): string[] => Array<string>(groupSize).fill(end);

  beforeAll(async () => {
    const authority = certificateAuthority('Operator CA');
    https = await HttpsFront.start(authority.issue('downloads', { hosts: ['127.0.0.1'] }), httpsBytes);
    const port = await udpPort(0);
    const coaps = `coaps://127.0.0.1:${port}`;
    system = await startSystem('campaign-deliveries', {
      without: ['snapshot', 'event-log', 'dispatcher'],
      env: {
        ...{ DEVICE_PROXY_COAP_DTLS_ENABLED: 'true', DEVICE_PROXY_COAP_DTLS_PORT: String(port) },
        ...{ CAMPAIGNS_POLL_MIN_MS: '250', CAMPAIGNS_PACKAGE_URIS: `${https.url},${coaps}` },
      },
    });
    https.forwardTo(system.baseUrl);
    app = new Application(system.baseUrl, system.adminKey);
    folder = mkdtempSync(join(tmpdir(), 'lanyard-e2e-deliveries-'));
    const names = Array.from({ length: groupSize }, (_, n) => `meter-${n}`);
    await introduceDevices(app.lanyard, names, join(folder, 'keys'));
    const file = join(folder, 'fleet.yaml');
    writeFileSync(file, scenario({ coap: system.coapUrls[0] as string, coaps }));
    const authorityFile = join(folder, 'authority.pem');
    writeFileSync(authorityFile, authority.certificate);
    fleet = await Simulator.start({ scenario: file }, { NODE_EXTRA_CA_CERTS: authorityFile });
    await eventually(async () => expect((await fleet.state()).registered).toBe(3 * groupSize));
  });

  afterAll(async () => {
    await fleet?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
    await system?.stop();
    await https?.stop();
  });

  it('that wait for the window of their campaign, then by a push in blocks', async () => {
    const window = { from: timeOfDay(Date.now() + 2 * hourMs), to: timeOfDay(Date.now() + 3 * hourMs) };
    const id = await start({ firmware: '2.0.0', type: 'sensors', delivery: 'push', window });
    await eventually(async () =>
      expect(await get(id, '/progress')).toMatchObject({ is_selection_complete: true, waiting: groupSize }),
    );
    // Another campaign begins and ends meanwhile: over DTLS, by a pull in blocks.
    expect(await endsOf(await start({ firmware: '2.0.0', type: 'meters' }))).toEqual(all('succeeded pull 1.0.0'));
    expect(await get(id, '/progress')).toMatchObject({ waiting: groupSize, updating: 0 });
    expect((await app.call('PUT', `/v3/update-campaigns/${id}`, { window: null })).status).toBe(200);
    expect(await endsOf(id)).toEqual(all('succeeded push 1.0.0'));
  });

  it('of software over object 9: it is installed and activated, replaced, and left alone where it is', async () => {
    const software = '&object=9&package_name=application';
    const installs = (firmware: string, more = {}): Promise<string> =>
      start({ firmware, type: 'meters', software, ...more });
    expect(await endsOf(await installs('1.0', { delivery: 'push' }))).toEqual(all('succeeded push null'));
    expect(await endsOf(await installs('1.1'))).toEqual(all('succeeded pull 1.0'));
    expect(await endsOf(await installs('1.1'))).toEqual(all('skipped null 1.1'));
  });

  it('of software in an instance of object 9 that the campaign creates', async () => {
    const software = '&object=9&package_name=application';
    const id = await start({ firmware: '1.0', type: 'trackers', software, delivery: 'push' });
    expect(await endsOf(id)).toEqual(all('succeeded push null'));
  });

  it('over DTLS by a push in blocks', async () => {
    const id = await start({ firmware: '3.0.0', type: 'meters', delivery: 'push' });
    expect(await endsOf(id)).toEqual(all('succeeded push 2.0.0'));
  });

  it('over HTTPS in ranges, by a pull that continues where the connection breaks', async () => {
    const id = await start({ firmware: '2.0.0', type: 'trackers' });
    expect(await endsOf(id)).toEqual(all('succeeded pull 1.0.0'));
    const [whole, parts] = [
      https.exchanges.filter(({ range }) => range === undefined),
      https.exchanges.filter(({ range }) => range !== undefined),
    ];
    expect(whole.map(({ status }) => status)).toEqual(all('200').map(Number));
    // Each device continues at least twice, with the part that it does not have of the package that it began.
    expect(parts.length).toBeGreaterThanOrEqual(2 * groupSize);
    for (const { range, ifRange, status } of parts)
      expect([range, ifRange, status]).toEqual([
        expect.stringMatching(/^bytes=[1-9]\d*-$/),
        expect.stringMatching(/^"[0-9a-f]{64}"$/),
        206,
      ]);
  });
});
