import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Code, formatCode, type OutgoingRequest, type Peer } from '@lanyard/coap';
import {
  addPrefix,
  contentFormat,
  decodeSend,
  decodeValues,
  devicesBehind,
  encodePaths,
  removePrefix,
  splitByPrefix,
  standardModels,
} from '@lanyard/lwm2m';
import { eventually } from '@lanyard/testing';
import { type RunningSimulator } from '../src/start.js';
import { simulate } from './simulate.js';
import { TestServer } from './test-server.js';

const { linkFormat, senmlCbor, senmlJson, tlv } = contentFormat;
const models = standardModels();

describe('a gateway', () => {
  let server: TestServer;
  let running: RunningSimulator;
  let peer: Peer;

  beforeAll(async () => {
    server = await new TestServer().listen();
    server.onOther = () => ({ code: Code.Changed });
    const settings = { DEVICES: 1, DEVICES_BEHIND: 2, VALUES_PER_SECOND: 20, SEND_VALUES: 1, SEND_SECONDS: 1 };
    running = await simulate({ SERVER: server.url, ...settings });
    await eventually(() => expect(running.tally.registered).toBe(1));
    peer = server.peerOf('sim-0');
  });
  afterAll(async () => {
    await running.stop();
    await server.endpoint.close();
  });

  const send = (method: number, path: string, rest: Partial<OutgoingRequest> = {}) =>
    server.send(peer, method, path, rest);
  const codeOf = async (...request: Parameters<typeof send>): Promise<string> =>
    formatCode((await send(...request)).code);

  it('lists the devices behind it in object 25, and registers none of their objects', async () => {
    const links = server.registered('sim-0')[0]?.payload.toString();
    expect(links).toContain('</25>;ver=2.0');
    expect(links).toContain('</25/0>,</25/1>');
    expect(links).not.toContain('/d0');
    const { payload } = await send(Code.GET, '/25', { accept: tlv });
    const { devices } = devicesBehind(decodeValues(tlv, payload, '/25', models));
    expect(devices).toMatchObject([
      { deviceId: 'sim-0-0', prefix: 'd0' },
      { deviceId: 'sim-0-1', prefix: 'd1' },
    ]);
    expect(devices[0]?.objects.links.map(({ path }) => path)).toEqual(['/3/0', '/3303/0', '/3306/0', '/3341/0']);
  });

  it('answers for them below their prefixes', async () => {
    expect((await send(Code.GET, '/d1/3/0/2')).payload.toString()).toBe('sim-0-1');
    expect(await codeOf(Code.PUT, '/d1/3341/0/5527', { payload: Buffer.from('x'), contentFormat: 0 })).toBe('2.04');
    expect((await send(Code.GET, '/d1/3341/0/5527')).payload.toString()).toBe('x');
    expect((await send(Code.GET, '/d0/3341/0/5527')).payload.toString()).toBe('');
    expect(await codeOf(Code.POST, '/d0/3/0/4')).toBe('2.04');
    expect(await codeOf(Code.GET, '/d9/3/0/2')).toBe('4.04');
    expect((await send(Code.GET, '/d0/3303', { accept: linkFormat })).payload.toString()).toContain('</3303/0>');
  });

  it('has their prefixes in what names paths', async () => {
    const { payload } = await send(Code.GET, '/d0/3/0', { accept: senmlJson });
    expect([...splitByPrefix(senmlJson, payload).keys()]).toEqual(['d0']);
    const list = addPrefix(senmlCbor, encodePaths(senmlCbor, ['/3/0/2']), 'd1');
    const together = await send(Code.FETCH, '/', { payload: list, contentFormat: senmlCbor });
    expect(decodeSend(senmlCbor, removePrefix(senmlCbor, together.payload, 'd1'), models)).toMatchObject([
      { path: '/3/0/2', value: 'sim-0-1' },
    ]);
  });

  it('reports and sends their values', async () => {
    await server.observe(peer, '/d0/3303/0/5700');
    await eventually(() => expect(server.values.length).toBeGreaterThan(2));
    await eventually(() => {
      const sent = server.received.filter(({ path }) => path === '/dp').map(({ payload }) => payload);
      const prefixes = sent.flatMap((payload) => [...splitByPrefix(senmlCbor, payload).keys()]);
      expect(new Set(prefixes)).toEqual(new Set(['', 'd0', 'd1']));
    });
  });
});

describe('devices behind a gateway that come and go', () => {
  it('are told by an observation of object 25 and an update', async () => {
    const server = await new TestServer().listen();
    const settings = { DEVICES: 1, DEVICES_BEHIND: 1, DEVICES_BEHIND_SECONDS: 1 };
    const running = await simulate({ SERVER: server.url, ...settings });
    try {
      await eventually(() => expect(running.tally.registered).toBe(1));
      await server.observe(server.peerOf('sim-0'), '/25', { accept: tlv });
      await eventually(() => {
        expect(server.values.some((value) => !value.includes('sim-0-0'))).toBe(true);
        expect(server.values.at(-1)).toContain('sim-0-0');
      });
      await eventually(() => {
        const lists = server.received.filter(({ path, payload }) => path !== '/rd' && payload.length > 0);
        expect(lists.some(({ payload }) => !payload.toString().includes('</25/0>'))).toBe(true);
      });
    } finally {
      await running.stop();
      await server.endpoint.close();
    }
  });
});
