import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { type CoapRequest, type CoapResponse, CoapUdpEndpoint, Code, formatCode } from '@lanyard/coap';
import { decodeValues, standardModels } from '@lanyard/lwm2m';
import { eventually } from '@lanyard/testing';
import type { Application, Running } from '../application.ts';
import { fresh, resultOf } from '../journeys.ts';
import { LeshanDevice } from '../leshan-device.ts';
import type { RunningSystem } from '../system.ts';

const profiles = '/v3/bootstrap-profiles';

/** The DTLS listener has a private key. */
export const bootstrapping = (given: () => Running): void => {
  let system: RunningSystem;
  let app: Application;

  beforeAll(() => {
    ({ system, app } = given());
  });

  /** A device of the directory, with a profile of its own. */
  const created = async (name: string, profile: object): Promise<string> => {
    const { json: device } = await app.call('POST', '/v3/devices', { endpoint_name: name });
    const { status } = await app.call('POST', profiles, { scope: 'device', device_id: device.id, name, ...profile });
    expect(status).toBe(201);
    return device.id as string;
  };

  const codesOf = async (deviceId: string): Promise<string[]> => {
    const { json } = await app.call('GET', `/v3/device-events?device_id=${deviceId}&order=ASC`);
    return json.data.map((entry: { event_code: string }) => entry.event_code);
  };

  const credentialsOf = async (deviceId: string): Promise<{ id: string; provisional: boolean }[]> =>
    (await app.call('GET', `/v3/devices/${deviceId}/credentials`)).json.data;

  it('Leshan gets its account over CoAP, registers with it, and bootstraps again when it is told to', async () => {
    const name = fresh('leshan-bootstrap');
    const server = system.coapUrls[0] as string;
    const deviceId = await created(name, { server_uri: server, short_server_id: 7, lifetime_seconds: 77 });
    const device = await LeshanDevice.start(server, name, { bootstrap: true });
    try {
      // It asks again if the proxy did not have the profile yet.
      await device.says(/^bootstrapped/);
      await device.says(/^registered/, { since: device.said.indexOf('bootstrapped') });
      await app.receives('registrations', ({ ep }) => ep === deviceId);
      const value = (uri: string): Promise<string> =>
        resultOf(app, deviceId, { method: 'GET', uri, accept: 'text/plain' });
      expect([await value('/1/0/0'), await value('/1/0/1')]).toEqual(['200 7', '200 77']);
      await eventually(async () =>
        expect(await codesOf(deviceId)).toEqual(expect.arrayContaining(['SYS_107', 'SYS_106'])),
      );
      const { json: record } = await app.call('GET', `/v3/devices/${deviceId}`);
      expect(record.bootstrapped_timestamp).toMatch(/Z$/);
      const since = device.said.length;
      await resultOf(app, deviceId, { method: 'POST', uri: '/1/0/9' });
      await device.says(/^bootstrapped/, { since });
      await device.says(/^registered/, { since });
    } finally {
      await device.ends();
    }
  });

  it.each([
    { kind: 'psk', bytes: 16 },
    { kind: 'raw_public_key', bytes: 138 },
  ])('kill -9 in the middle leaves no $kind behind after another bootstrap, and none in a log', async (given) => {
    const name = fresh('killed-bootstrap');
    const deviceId = await created(name, { server_uri: 'coaps://lwm2m.example', credential_kind: given.kind });
    const port = Number(new URL(system.coapUrls[0] as string).port);
    let reached: () => void = () => undefined;
    const inTheMiddle = new Promise<void>((resolve) => (reached = resolve));
    let isHeld = true;
    const keys: Buffer[] = [];
    const answer = async ({ method, path, payload, contentFormat = 0 }: CoapRequest): Promise<CoapResponse> => {
      if (method === Code.GET) return { code: Code.NotFound };
      if (method === Code.DELETE) return { code: Code.Deleted };
      if (method === Code.PUT && path[0] === '0') {
        const values = decodeValues(contentFormat, payload, `/${path.join('/')}`, standardModels());
        keys.push(values.find((one) => one.path.endsWith('/5'))?.value as Buffer);
      }
      if (method === Code.PUT && path[0] === '1' && isHeld) {
        reached();
        await new Promise(() => undefined);
      }
      return { code: Code.Changed };
    };
    const device = new CoapUdpEndpoint({ host: '127.0.0.1', onRequest: answer, limits: { closeTimeoutMs: 50 } });
    await device.listen();
    try {
      const bootstrap = async (): Promise<string> => {
        const asked = device.request(device.peer('127.0.0.1', port), {
          method: Code.POST,
          path: ['bs'],
          query: [`ep=${name}`],
        });
        return formatCode((await asked).code);
      };
      await eventually(async () => expect(await bootstrap()).toBe('2.04'));
      await inTheMiddle;
      expect(await credentialsOf(deviceId)).toMatchObject([{ provisional: true }]);
      system.signal('device-proxy-0', 'SIGKILL');
      await system.restart('device-proxy-0');
      const [abandoned] = await credentialsOf(deviceId);
      expect(abandoned).toMatchObject({ provisional: true });
      isHeld = false;
      await eventually(async () => expect(await bootstrap()).toBe('2.04'));
      await eventually(async () => {
        const credentials = await credentialsOf(deviceId);
        expect(credentials).toMatchObject([{ kind: given.kind, provisional: false }]);
        expect(credentials[0]?.id).not.toBe(abandoned?.id);
      });
      await eventually(async () => {
        const codes = await codesOf(deviceId);
        expect(codes.filter((code) => code === 'SYS_402').length).toBeGreaterThanOrEqual(1);
        expect(codes.at(-1)).toBe('SYS_107');
      });
      const logs = readdirSync(system.logs).map((file) => readFileSync(join(system.logs, file), 'utf8'));
      const told = [...logs, (await app.call('GET', `/v3/device-events?device_id=${deviceId}`)).text].join('\n');
      expect(keys.map((key) => key.length)).toEqual([given.bytes, given.bytes]);
      expect(keys[0]).not.toEqual(keys[1]);
      for (const key of keys)
        for (const encoding of ['hex', 'base64'] as const) expect(told).not.toContain(key.toString(encoding));
    } finally {
      await device.close();
    }
  });
};
