import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Lanyard } from '@lanyard/client';
import { eventually } from '@lanyard/testing';
import { SocketApplication, sensorPath } from '../../tools/drill/applications.ts';
import { acknowledged, lostValues } from '../../tools/drill/verdict.ts';
import { CommandLoad } from '../../tools/testing/command-load.ts';
import { introduceDevices } from '../../tools/testing/introduced-devices.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { UdpBalancer } from '../../tools/testing/udp-balancer.ts';
import { Application } from '../application.ts';
import { resultOf } from '../journeys.ts';
import { type RunningSystem, startSystem } from '../system.ts';

const gateways = 2;
const behindEach = 4;
const behindAll = gateways * behindEach;

/** Simulated gateways behind a balancer for two device-proxies. Those of each scheme have an account of their own. */
describe('devices behind gateways', () => {
  let system: RunningSystem;

  /** Devices without credentials belong to the account of the installation. Those behind gateways are created at their first contact. */
  const accountOf = async (scheme: string): Promise<Application> => {
    const root = new Application(system.baseUrl, system.adminKey);
    if (scheme === 'coap') return root;
    const { json } = await root.call('POST', '/v3/accounts', { display_name: scheme, auto_create_devices: true });
    return root.as(json.admin_key);
  };

  beforeAll(async () => {
    system = await startSystem('gateways', { replicas: { 'device-proxy': 2 }, without: ['snapshot', 'campaigns'] });
  });
  afterAll(() => system?.stop());

  describe.each(['coap', 'coaps'])('at %s', (scheme) => {
    const prefix = `gw-${scheme}`;
    const folder = mkdtempSync(join(tmpdir(), 'lanyard-e2e-gateways-'));
    let app: Application;
    let fleet: Simulator;
    let balancer: UdpBalancer;
    const values = new SocketApplication();
    const ids = new Map<string, string>();

    const credentials = async (): Promise<Record<string, string>> => {
      if (scheme === 'coap') return {};
      const file = join(folder, 'keys');
      const names = Array.from({ length: gateways }, (_, n) => `${prefix}-${n}`);
      await introduceDevices(app.lanyard, names, file);
      return { 'credentials-file': file };
    };

    const ask = (name: string, request: object): Promise<string> => resultOf(app, ids.get(name) as string, request);

    const behind = (gatewayId: string) =>
      app
        .call('GET', `/v3/devices?host_gateway__eq=${gatewayId}&state__eq=registered&limit=100`)
        .then(({ json }) => json.data);

    const flow = async (count = 40): Promise<void> => {
      const before = values.inbox.items;
      await eventually(() => expect(values.inbox.items).toBeGreaterThan(before + count));
    };

    beforeAll(async () => {
      // A failed test of the other scheme may have left a process dead.
      for (const name of system.dead) await system.restart(name);
      app = await accountOf(scheme);
      await app.connects();
      const urls = scheme === 'coap' ? system.coapUrls : system.coapsUrls;
      balancer = await new UdpBalancer(urls.map((url) => Number(new URL(url).port))).start();
      fleet = await Simulator.start({
        devices: gateways,
        'devices-behind': behindEach,
        server: `${scheme}://127.0.0.1:${balancer.port}`,
        'name-prefix': prefix,
        'update-seconds': 4,
        'values-per-second': 40,
        'numbered-values': true,
        'ack-timeout-ms': 1_000,
        'back-off-ms': 500,
        'back-off-max-ms': 1_000,
        ...(await credentials()),
      });
      for (let gateway = 0; gateway < gateways; gateway++) {
        const id = await app.deviceId(`${prefix}-${gateway}`);
        ids.set(`${prefix}-${gateway}`, id);
        await eventually(async () => expect(await behind(id)).toHaveLength(behindEach));
        for (const device of await behind(id)) ids.set(device.endpoint_name, device.id);
      }
      const { key } = await app.lanyard.call('POST /v3/api-keys', { body: { name: 'values' } });
      await values.start(new Lanyard({ baseUrl: system.baseUrl, key, retries: 10 }));
      const reader = app.as(key);
      for (const [name, id] of ids)
        if (/-\d+-\d+$/.test(name))
          expect((await reader.call('PUT', `/v2/subscriptions/${id}${sensorPath}`)).status).toBeLessThan(300);
      await eventually(async () => expect((await fleet.state()).observations).toBe(behindAll + gateways));
    });

    afterAll(async () => {
      await fleet?.stop();
      values.stop();
      balancer?.stop();
      app?.closes();
      rmSync(folder, { recursive: true, force: true });
    });

    it('are read, written and executed, each for itself', async () => {
      const [one, two] = [`${prefix}-0-0`, `${prefix}-0-1`];
      expect(await ask(one, { method: 'GET', uri: '/3/0/2' })).toBe(`200 ${one}`);
      expect(await ask(two, { method: 'GET', uri: '/3/0/2' })).toBe(`200 ${two}`);
      expect(await ask(`${prefix}-0`, { method: 'GET', uri: '/3/0/2' })).toBe(`200 ${prefix}-0`);
      const text = Buffer.from('hello').toString('base64');
      const write = { method: 'PUT', uri: '/3341/0/5527', 'content-type': 'text/plain', 'payload-b64': text };
      expect(await ask(one, write)).toMatch(/^200/);
      expect(await ask(one, { method: 'GET', uri: '/3341/0/5527' })).toBe('200 hello');
      expect(await ask(two, { method: 'GET', uri: '/3341/0/5527' })).toBe('200 ');
      expect(await ask(two, { method: 'POST', uri: '/3/0/4' })).toMatch(/^200/);
      expect(await fleet.executions()).toMatchObject({ [`${two} /3/0/4 `]: 1 });
      await eventually(async () => {
        const { json } = await app.call('GET', `/v3/device-events?device_id=${ids.get(one)}&event_type=106`);
        expect(json.data[0].data).toMatchObject({ host_gateway: ids.get(`${prefix}-0`) });
      });
    });

    it('a suspended one gets nothing, and its neighbours do', async () => {
      const [one, two] = [`${prefix}-1-0`, `${prefix}-1-1`];
      const path = `/v3/devices/${ids.get(one)}`;
      expect((await app.call('POST', `${path}/suspend`, { category: 'maintenance' })).status).toBe(204);
      await eventually(async () => expect((await app.call('GET', path)).json.state).toBe('deregistered'));
      expect(await ask(two, { method: 'GET', uri: '/3/0/2' })).toBe(`200 ${two}`);
      expect((await app.call('POST', `${path}/resume`, { category: 'maintenance' })).status).toBe(204);
      await eventually(async () => expect((await app.call('GET', path)).json.state).toBe('registered'));
      expect(await ask(one, { method: 'GET', uri: '/3/0/2' })).toBe(`200 ${one}`);
      const reader = await app.call('GET', `/v3/devices?host_gateway__eq=${ids.get(`${prefix}-1`)}`);
      expect(reader.json.data).toHaveLength(behindEach);
    });

    it('kill -9 under load: every command ends in one way, and no acknowledged value is lost', async () => {
      // The channel of the administrator's key is taken.
      const { key } = await app.lanyard.call('POST /v3/api-keys', { body: { name: 'commands' } });
      const lanyard = new Lanyard({ baseUrl: system.baseUrl, key, retries: 10 });
      const commands = await CommandLoad.start(lanyard, [...ids.values()]);
      try {
        await commands.more();
        await flow();
        system.signal('device-proxy-0', 'SIGKILL');
        balancer.route(() => 1);
        await flow();
        await commands.more();
        await system.restart('device-proxy-0');
        system.signal('device-proxy-1', 'SIGKILL');
        balancer.route(() => 0);
        await flow();
        await commands.more();
        await system.restart('device-proxy-1');
        const figures = await commands.finish(fleet);
        expect(figures.commands_succeeded).toBeGreaterThan(60);
        const sent = acknowledged(await fleet.values());
        expect([...sent.values()].flat().length).toBeGreaterThan(100);
        await eventually(() => expect(lostValues(values.inbox, sent, ids)).toEqual([]));
      } finally {
        await commands.stop();
      }
    });

    it('leave with their gateway', async () => {
      await fleet.stop('SIGTERM');
      const states = async () => {
        const { json } = await app.call('GET', `/v3/devices?limit=100`);
        return json.data.map(({ state }: { state: string }) => state);
      };
      await eventually(async () => expect(new Set(await states())).toEqual(new Set(['deregistered'])));
    });
  });
});
