import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, type LocalHttpServer, serve } from '@lanyard/testing';
import { introduceDevices } from '../../tools/testing/introduced-devices.ts';
import { firmwareOf, Simulator } from '../../tools/testing/simulator.ts';
import type { Application, Running } from '../application.ts';
import { resultOf } from '../journeys.ts';
import type { RunningSystem } from '../system.ts';

const firmware = firmwareOf('2.0.0', 50_000);

const temperature = '/3303/0/5700';

/** Groups over UDP, asleep, over DTLS with addresses that change, and without an account. */
const scenario = ({ coap, coaps }: { coap: string; coaps: string }): string => `
registrations-per-second: 10
defaults:
  server: ${coap}
  update-seconds: 5
  values-per-second: 4
  firmware-install-seconds: 0
  firmware-reboot-seconds: 0
groups:
  sensors: {devices: 2, sensors: 2, value-profile: wave}
  sleepers: {devices: 2, queue-mode: true, awake-seconds: 2, kept-values: 1000}
  meters: {devices: 2, server: '${coaps}', credentials-file: keys, rebind-percent: 100, rebind-seconds: 5}
  newcomers: {devices: 2, bootstrap: request, values-per-second: 0}
`;

/** The DTLS listener has a private key. */
export const simulatedFleet = (given: () => Running): void => {
  let system: RunningSystem;
  let app: Application;
  let fleet: Simulator;
  let folder: string;
  let packages: LocalHttpServer;

  const created = async (name: string): Promise<string> =>
    (await app.call('POST', '/v3/devices', { endpoint_name: name })).json.id as string;

  beforeAll(async () => {
    ({ system, app } = given());
    folder = mkdtempSync(join(tmpdir(), 'lanyard-e2e-fleet-'));
    const rule = [{ 'endpoint-type': 'simulated', 'resource-path': [temperature] }];
    expect((await app.call('PUT', '/v2/subscriptions', rule)).status).toBe(202);
    await introduceDevices(app.lanyard, ['meter-a', 'meter-b'], join(folder, 'keys'));
    const account = { server_uri: system.coapsUrls[0] as string, short_server_id: 5, lifetime_seconds: 120 };
    for (const [n, kind] of ['psk', 'raw_public_key'].entries()) {
      const name = `newcomers-${n}`;
      const profile = { name, scope: 'device', device_id: await created(name), credential_kind: kind };
      expect((await app.call('POST', '/v3/bootstrap-profiles', { ...profile, ...account })).status).toBe(201);
    }
    const file = join(folder, 'fleet.yaml');
    writeFileSync(file, scenario({ coap: system.coapUrls[0] as string, coaps: account.server_uri }));
    packages = await serve((_, response) => void response.end(firmware));
    fleet = await Simulator.start({ scenario: file });
  });

  afterAll(async () => {
    await fleet?.stop();
    packages?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it('registers, also with an account that it got from the bootstrap server', async () => {
    await eventually(async () => expect((await fleet.state()).registered).toBe(8));
  });

  it.each([['sensors-0'], ['sleepers-1'], ['meter-a']])('reports what a rule observes: %s', async (name) => {
    const id = await app.deviceId(name);
    await eventually(() => expect(app.values(temperature, id).length).toBeGreaterThan(3));
  });

  it.each(['sensors-1', 'meter-b', 'newcomers-0', 'newcomers-1'])('updates its firmware: %s', async (name) => {
    const id = await app.deviceId(name);
    const uri = `${packages.url}/firmware`;
    const written = { method: 'PUT', uri: '/5/0/1', 'payload-b64': Buffer.from(uri).toString('base64') };
    const ask = (request: object): Promise<string> => resultOf(app, id, request);
    expect(await ask({ ...written, 'content-type': 'text/plain' })).toBe('200 ');
    await eventually(async () => expect(await ask({ method: 'GET', uri: '/5/0/3' })).toBe('200 2'));
    expect(await ask({ method: 'POST', uri: '/5/0/2' })).toBe('200 ');
    await eventually(async () => expect(await ask({ method: 'GET', uri: '/3/0/3' })).toBe('200 2.0.0'));
    expect(await ask({ method: 'GET', uri: '/5/0/5' })).toBe('200 1');
  });

  it('keeps its DTLS connections over changes of address', async () => {
    const handshakes = /meters: .*handshake (\d+)/;
    await eventually(async () => expect(await fleet.events('rebound')).toBeGreaterThan(0));
    const exitCode = await fleet.stop('SIGTERM');
    expect(fleet.said.filter((line) => line.includes('LOST'))).toEqual([]);
    expect([exitCode, fleet.said.at(-1)]).toEqual([0, 'nothing was lost']);
    const summary = fleet.said.find((line) => handshakes.test(line)) ?? '';
    expect(summary).toMatch(/rebound \d/);
    // One of each device, and one of the device that restarted to install its firmware.
    expect(Number(handshakes.exec(summary)?.[1])).toBeLessThanOrEqual(3);
  });
};
