import dgram from 'node:dgram';
import { beforeAll, expect, it } from '@jest/globals';
import { eventually, thermometer, WebSocketClient } from '@lanyard/testing';
import { Application } from '../application.ts';
import { Random } from '../../tools/testing/random.ts';
import type { RunningSystem } from '../system.ts';
import { fresh } from '../journeys.ts';

const datagrams = 10_000;

const send = (socket: dgram.Socket, bytes: Buffer, url: URL): Promise<void> =>
  new Promise((resolve) => socket.send(bytes, Number(url.port), url.hostname, () => resolve()));

export const badInput = (given: () => RunningSystem): void => {
  let system: RunningSystem;
  let app: Application;
  let deviceId: string;

  beforeAll(async () => {
    system = given();
    app = new Application(system.baseUrl, system.adminKey);
    deviceId = (await app.call('POST', '/v3/devices', { endpoint_name: fresh('bad') })).json.id;
  });

  it.each([
    ['no key', undefined],
    ['garbage', 'garbage'],
    ['a key that was never made', `ak_1${'0'.repeat(64)}${'a'.repeat(32)}`],
  ])('401 with %s, on both interfaces', async (_, key) => {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const v3 = await fetch(`${system.baseUrl}/v3/devices`, { headers });
    expect([v3.status, ((await v3.json()) as { object: string }).object]).toEqual([401, 'error']);
    expect((await fetch(`${system.baseUrl}/v2/endpoints`, { headers })).status).toBe(401);
  });

  it('a key in the query is no key', async () => {
    expect((await fetch(`${system.baseUrl}/v3/devices?api_key=${app.key}`)).status).toBe(401);
  });

  it('a WebSocket with a bad key is closed with 1008', async () => {
    const client = new WebSocketClient({
      url: system.baseUrl,
      protocols: ['wss', `service_ak_1${'0'.repeat(64)}${'a'.repeat(32)}`],
    });
    await eventually(() => expect(client.closed?.code).toBe(1008));
  });

  it('404 for a device that is not of this account', async () => {
    const foreign = 'f'.repeat(32);
    for (const path of [`/v3/devices/${foreign}`, `/v3/devices/${foreign}/echo`, `/v2/endpoints/${foreign}`])
      expect((await app.call('GET', path)).status).toBe(404);
    const command = await app.call('POST', `/v2/device-requests/${foreign}?async-id=x`, {
      method: 'GET',
      uri: '/3/0/0',
    });
    expect([command.status, command.text]).toEqual([404, 'DEVICE_NOT_FOUND']);
  });

  it('400 with the field for a bad category', async () => {
    const { status, json } = await app.call('POST', `/v3/devices/${deviceId}/suspend`, { category: 'bored' });
    expect([status, json.fields[0].name]).toEqual([400, 'category']);
  });

  it('400 for malformed JSON, in the form of each interface', async () => {
    expect((await app.call('POST', '/v3/devices', '{"name":')).json).toMatchObject({
      code: 400,
      type: 'validation_error',
    });
    expect(await app.call('POST', `/v2/device-requests/${deviceId}?async-id=x`, '{"method":')).toMatchObject({
      status: 400,
      text: 'MALFORMED_JSON_CONTENT',
    });
    expect(
      await app.call('POST', `/v2/device-requests/${deviceId}?async-id=a%20b`, { method: 'GET', uri: '/3' }),
    ).toMatchObject({
      status: 400,
      text: 'MALFORMED_ASYNC_ID',
    });
  });

  it('413 for a body over the limit', async () => {
    expect((await app.call('POST', '/v3/devices', 'x'.repeat(1_200_000))).status).toBe(413);
  });

  it('10,000 random and mutated datagrams do not disturb a device that talks meanwhile', async () => {
    const url = new URL(system.coapUrls[0]?.replace('coap:', 'http:') as string);
    const { pid } = system.unit('device-proxy-0').unit;
    const { device } = thermometer({ name: fresh('calm'), server: system.coapUrls[0] as string });
    await device.open();
    await device.register();
    const socket = dgram.createSocket('udp4');
    const random = new Random(2024);
    const register = Buffer.from('44021234aabbccddb2726404' + Buffer.from('ep=x').toString('hex'), 'hex');
    for (let n = 0; n < datagrams; n++) {
      const bytes = n % 2 === 0 ? random.bytes(random.below(64)) : Buffer.from(register);
      if (n % 2 === 1) bytes[random.below(bytes.length)] = random.below(256);
      await send(socket, bytes, url);
      if (n % 1_000 === 0) await device.update();
    }
    socket.close();
    await device.update();
    await device.close();
    expect(system.unit('device-proxy-0').unit.pid).toBe(pid);
    // Not the first answer: each check behind it has two seconds, which a busy machine may exceed.
    await eventually(async () =>
      expect((await fetch(`${system.unit('device-proxy-0').unit.address}/readyz`)).status).toBe(200),
    );
  });
};
