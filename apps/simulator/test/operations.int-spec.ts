import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CoapUdpEndpoint, Code, formatCode, type OutgoingRequest, type Peer } from '@lanyard/coap';
import { contentFormat, decodeSend, decodeValues, encodePaths, encodeValues, standardModels } from '@lanyard/lwm2m';
import { eventually } from '@lanyard/testing';
import { type RunningSimulator } from '../src/start.js';
import { simulate } from './simulate.js';
import { TestServer } from './test-server.js';

const { cbor, linkFormat, lwm2mCbor, opaque, senmlCbor, senmlEtchJson, senmlJson, text, tlv } = contentFormat;
const models = standardModels();

describe('a device answers by its objects', () => {
  let server: TestServer;
  let running: RunningSimulator;
  let peer: Peer;

  beforeAll(async () => {
    server = await new TestServer().listen();
    const settings = { DEVICES: 1, PROTOCOL_VERSION: '1.2', VALUES_PER_SECOND: 0, SENSORS: 2 };
    running = await simulate({ SERVER: server.url, ...settings });
    await eventually(() => expect(running.tally.registered).toBe(1));
    peer = server.peerOf('sim-0');
  });
  afterAll(async () => {
    await running.stop();
    await server.endpoint.close();
  });

  const codeOf = async (method: number, path: string, rest: Partial<OutgoingRequest> = {}): Promise<string> =>
    formatCode((await server.send(peer, method, path, rest)).code);
  const textOf = async (path: string): Promise<string> => (await server.send(peer, Code.GET, path)).payload.toString();
  const discovered = async (path: string, query: string[] = []): Promise<string> =>
    (await server.send(peer, Code.GET, path, { accept: linkFormat, query })).payload.toString();

  it('registers what it has', () => {
    const { payload, query } = server.registered('sim-0')[0] as { payload: Buffer; query: string[] };
    expect(query).toContain('lwm2m=1.2');
    expect(payload.toString()).toBe(
      '</>;rt="oma.lwm2m";ct="0 42 60 110 112 11542 11544",</5>;ver=1.1,</1/0>,</3/0>,</5/0>,</3303/0>,</3303/1>,' +
        '</3306/0>,</3341/0>',
    );
  });

  it.each([
    ['TLV', tlv],
    ['SenML JSON', senmlJson],
    ['SenML CBOR', senmlCbor],
    ['LwM2M CBOR', lwm2mCbor],
  ])('reads an instance as %s', async (_, format) => {
    const { code, payload, contentFormat: given } = await server.send(peer, Code.GET, '/3/0', { accept: format });
    expect([formatCode(code), given]).toEqual(['2.05', format]);
    const values = decodeValues(format, payload, '/3/0', models);
    expect(values).toContainEqual(expect.objectContaining({ path: '/3/0/2', value: 'sim-0' }));
    expect(values).toContainEqual(expect.objectContaining({ path: '/3/0/6/1', value: 5 }));
  });

  it.each([
    ['a single value as opaque', '/3306/0/5850', opaque, '2.05'],
    ['a single value as CBOR', '/3306/0/5850', cbor, '2.05'],
    ['an instance as text', '/3/0', text, '4.06'],
    ['in a format that it does not know', '/3/0', 50, '4.06'],
    ['what it does not have', '/9/0/0', undefined, '4.04'],
    ['what can only be executed', '/3/0/4', undefined, '4.05'],
    ['the security object', '/0/0/0', undefined, '4.01'],
  ])('reads %s: %s as %s is %s', async (_, path, accept, expected) => {
    expect(await codeOf(Code.GET, path, accept === undefined ? {} : { accept })).toBe(expected);
  });

  it.each([
    ['a boolean', '/3306/0/5850', '1', text, '2.04'],
    ['no boolean', '/3306/0/5850', 'perhaps', text, '4.00'],
    ['a number', '/3306/0/5851', '70', text, '2.04'],
    ['text in a number', '/3306/0/5851', '[{"n":"/3306/0/5851","vs":"x"}]', senmlJson, '4.00'],
    ['something else than the path says', '/3306/0/5851', '[{"n":"/3341/0/5527","vs":"x"}]', senmlJson, '4.00'],
    ['in an unknown format', '/3306/0/5851', '1', 50, '4.15'],
    ['what measures', '/3303/0/5700', '1', text, '4.05'],
    ['what it does not have', '/3306/9/5850', '1', text, '4.04'],
  ])('writes %s: %s = %s as %i is %s', async (_, path, payload, format, expected) => {
    const request = { payload: Buffer.from(payload), contentFormat: format };
    expect(await codeOf(Code.PUT, path, request)).toBe(expected);
    if (expected === '2.04') expect(await textOf(path)).toBe(payload);
  });

  it('updates an instance in part, or replaces it', async () => {
    const values = [{ path: '/3306/0/5851', type: 'integer', value: 30 } as const];
    const partial = { payload: encodeValues(tlv, '/3306/0', values), contentFormat: tlv };
    await codeOf(Code.PUT, '/3306/0/5750', { payload: Buffer.from('pump'), contentFormat: text });
    expect(await codeOf(Code.POST, '/3306/0', partial)).toBe('2.04');
    expect([await textOf('/3306/0/5851'), await textOf('/3306/0/5750')]).toEqual(['30', 'pump']);
    expect(await codeOf(Code.PUT, '/3306/0', partial)).toBe('2.04');
    expect([await textOf('/3306/0/5851'), await textOf('/3306/0/5750')]).toEqual(['30', 'relay']);
  });

  it('reads and writes several paths at once, all or none', async () => {
    const etch = { contentFormat: senmlEtchJson, payload: encodePaths(senmlEtchJson, ['/3/0/2', '/3306/0', '/9/0']) };
    const read = await server.send(peer, Code.FETCH, '', { ...etch, accept: senmlCbor });
    expect(decodeSend(senmlCbor, read.payload, models).map(({ path }) => path)).toEqual([
      '/3/0/2',
      '/3306/0/5850',
      '/3306/0/5851',
      '/3306/0/5750',
    ]);
    const write = (records: object[]): Promise<string> =>
      codeOf(Code.IPATCH, '', { contentFormat: senmlJson, payload: Buffer.from(JSON.stringify(records)) });
    expect(
      await write([
        { n: '/3306/0/5851', v: 55 },
        { n: '/3303/0/5700', v: 1 },
      ]),
    ).toBe('4.05');
    expect(await textOf('/3306/0/5851')).not.toBe('55');
    expect(
      await write([
        { n: '/3306/0/5851', v: 55 },
        { n: '/3341/0/5527', vs: 'both' },
      ]),
    ).toBe('2.04');
    expect([await textOf('/3306/0/5851'), await textOf('/3341/0/5527')]).toEqual(['55', 'both']);
    expect(await codeOf(Code.FETCH, '', { contentFormat: text, payload: Buffer.from('x') })).toBe('4.15');
  });

  it('creates and deletes instances, and tells so in an update', async () => {
    const named = [{ path: '/3341/7/5527', type: 'string', value: 'seventh' } as const];
    const create = { payload: encodeValues(senmlJson, '/3341', named), contentFormat: senmlJson };
    expect(await codeOf(Code.POST, '/3341', create)).toBe('2.01');
    expect(await textOf('/3341/7/5527')).toBe('seventh');
    expect(await codeOf(Code.POST, '/3341', create)).toBe('4.00');
    const chosen = await server.send(peer, Code.POST, '/3306');
    expect([formatCode(chosen.code), chosen.locationPath]).toEqual(['2.01', ['3306', '1']]);
    await eventually(() => {
      const links = server.received.filter(({ path }) => path === '/rd/r0').map(({ payload }) => payload.toString());
      expect(links.at(-1)).toContain('</3306/1>');
      expect(links.at(-1)).toContain('</3341/7>');
    });
    expect(await codeOf(Code.DELETE, '/3341/7')).toBe('2.02');
    expect(await codeOf(Code.GET, '/3341/7/5527')).toBe('4.04');
    expect(await codeOf(Code.DELETE, '/3303/0')).toBe('4.05');
    expect(await codeOf(Code.POST, '/3303')).toBe('4.05');
    expect(await codeOf(Code.POST, '/9')).toBe('4.04');
  });

  it('takes write attributes of 1.2, and shows them in Discover down to a depth', async () => {
    expect(await codeOf(Code.PUT, '/3303/1', { query: ['pmin=5'] })).toBe('2.04');
    const query = ['gt=30', 'lt=10', 'st=1', 'con=1', 'hqmax=3'];
    expect(await codeOf(Code.PUT, '/3303/1/5700', { query })).toBe('2.04');
    expect(await discovered('/3303/1')).toBe(
      '</3303/1>;pmin=5,</3303/1/5700>;gt=30;lt=10;st=1;con=1;hqmax=3,</3303/1/5701>,</3303/1/5605>',
    );
    expect(await discovered('/3303', ['depth=1'])).toBe('</3303>,</3303/0>,</3303/1>;pmin=5');
    expect(await codeOf(Code.PUT, '/3306/0/5850', { query: ['edge=1'] })).toBe('2.04');
    for (const wrong of ['edge=1', 'gt=1', 'con=2', 'what=1'])
      expect(await codeOf(Code.PUT, '/3303/1/5701', { query: [wrong] })).toBe('4.00');
    for (const noNumber of ['gt=abc', 'lt=Infinity'])
      expect(await codeOf(Code.PUT, '/3303/1/5700', { query: [noNumber] })).toBe('4.00');
    expect(await codeOf(Code.PUT, '/3303/1/5700', { query: ['gt', 'lt', 'st', 'con', 'hqmax'] })).toBe('2.04');
    expect(await discovered('/3303/1/5700')).toBe('</3303/1/5700>');
  });

  it('executes with arguments, and a wrong list of them not', async () => {
    expect(await codeOf(Code.POST, '/3303/0/5605', { payload: Buffer.from("0='a',1") })).toBe('2.04');
    expect(await codeOf(Code.POST, '/3303/0/5605', { payload: Buffer.from('reset!') })).toBe('4.00');
    expect(await codeOf(Code.POST, '/3303/0/5700')).toBe('4.05');
    expect(running.executions.all()).toEqual({ "sim-0 /3303/0/5605 0='a',1": 1 });
  });

  it('registers with the lifetime that is written, and updates when it is told to', async () => {
    const before = server.count(Code.POST, /^\/rd\/r0$/);
    await codeOf(Code.PUT, '/1/0/1', { payload: Buffer.from('600'), contentFormat: text });
    await eventually(() => expect(server.received.at(-1)?.query).toEqual(['lt=600']));
    expect(await codeOf(Code.POST, '/1/0/8')).toBe('2.04');
    await eventually(() => expect(server.count(Code.POST, /^\/rd\/r0$/)).toBe(before + 2));
  });

  it('updates at its own interval with the lifetime 0, which is infinite, and takes no negative one', async () => {
    const before = server.count(Code.POST, /^\/rd\/r0$/);
    const write = (lifetime: string) =>
      codeOf(Code.PUT, '/1/0/1', { payload: Buffer.from(lifetime), contentFormat: text });
    expect([await write('-1'), await write('0')]).toEqual(['4.00', '2.04']);
    await eventually(() => expect(server.received.at(-1)?.query).toEqual(['lt=0']));
    // A notification after a second shows that the device had time for further updates.
    await server.send(peer, Code.PUT, '/3303/0/5700', { query: ['pmax=1'] });
    await server.observe(peer, '/3303/0/5700');
    await eventually(() => expect(server.values.length).toBeGreaterThan(0));
    expect(server.count(Code.POST, /^\/rd\/r0$/)).toBe(before + 1);
  });
});

describe('a device reports by the attributes of its server', () => {
  let server: TestServer;
  let running: RunningSimulator;
  let peer: Peer;

  const simulateOne = async (settings: Record<string, string | number>): Promise<void> => {
    running = await simulate({ SERVER: server.url, DEVICES: 1, PROTOCOL_VERSION: '1.2', ...settings });
    await eventually(() => expect(running.tally.registered).toBe(1));
    peer = server.peerOf('sim-0');
  };
  const attribute = (path: string, ...query: string[]) => server.send(peer, Code.PUT, path, { query });
  const put = (path: string, value: string) =>
    server.send(peer, Code.PUT, path, { payload: Buffer.from(value), contentFormat: text });

  beforeAll(async () => {
    server = await new TestServer().listen();
  });
  afterAll(async () => {
    await running.stop();
    await server.endpoint.close();
  });

  it('edges, minimum and maximum periods, and values that are written', async () => {
    await simulateOne({ VALUES_PER_SECOND: 0 });
    await attribute('/3306/0/5850', 'edge=1');
    await server.observe(peer, '/3306/0/5850');
    await server.observe(peer, '/3341/0');
    for (const value of ['1', '0', '1', '0']) await put('/3306/0/5850', value);
    await put('/3341/0/5527', 'written');
    await eventually(() => expect(server.values).toHaveLength(3));
    expect(server.values.slice(0, 2)).toEqual(['1', '1']);
    expect(server.values[2]).toContain('"vs":"written"');
    await attribute('/3303/0/5700', 'pmax=1');
    await server.observe(peer, '/3303/0/5700');
    await eventually(() => expect(server.values.length).toBeGreaterThanOrEqual(5));
    await server.observe(peer, '/3303/0/5701');
    await attribute('/3303/0', 'pmax=1');
    await eventually(() => expect(server.values).toContain('Cel'));
  });
});

describe('observations of one path with different attributes in their requests', () => {
  it('report each by its own, and are cancelled each by itself', async () => {
    const server = await new TestServer().listen();
    const settings = { DEVICES: 1, PROTOCOL_VERSION: '1.2', VALUES_PER_SECOND: 0 };
    const running = await simulate({ SERVER: server.url, ...settings });
    await eventually(() => expect(running.tally.registered).toBe(1));
    const peer = server.peerOf('sim-0');
    const switched = { method: Code.GET, path: ['3306', '0', '5850'] };
    const edges = { ...switched, query: ['edge=1', 'pmin=0'] };
    const seen = { all: [] as string[], edges: [] as string[] };
    const observe = (request: OutgoingRequest, values: string[]) =>
      server.endpoint.observe(peer, request, async ({ payload }) => void values.push(payload.toString()));
    const put = (value: string) =>
      server.send(peer, Code.PUT, '/3306/0/5850', { payload: Buffer.from(value), contentFormat: text });
    const becomes = (expected: typeof seen): Promise<void> => eventually(() => expect(seen).toEqual(expected));

    await observe(switched, seen.all);
    const { token } = await observe(edges, seen.edges);
    await put('1');
    await becomes({ all: ['1'], edges: ['1'] });
    await put('0');
    await becomes({ all: ['1', '0'], edges: ['1'] });
    const reversed = { ...edges, query: edges.query.toReversed() };
    await server.endpoint.cancelObservation(peer, token, reversed);
    expect(running.groups[0]?.group.watches.size).toBe(1);
    await put('1');
    await becomes({ all: ['1', '0', '1'], edges: ['1'] });

    const { response } = await observe({ ...switched, query: ['gt=1'] }, []);
    expect(formatCode(response.code)).toBe('4.00');
    await running.stop();
    await server.endpoint.close();
  });
});

describe('a device that sleeps', () => {
  it('keeps as many values as it may, and sends them with their times when it wakes', async () => {
    const server = await new TestServer().listen();
    // Two values a second: no more than two are measured at the same time, even when the process stood still before.
    const asleep = { QUEUE_MODE: 'true', AWAKE_SECONDS: 2, UPDATE_SECONDS: 6, VALUES_PER_SECOND: 2 };
    const settings = { DEVICES: 1, PROTOCOL_VERSION: '1.2', NUMBERED_VALUES: 'true', ...asleep };
    const running = await simulate({ SERVER: server.url, ...settings });
    await eventually(() => expect(running.tally.registered).toBe(1));
    const peer = server.peerOf('sim-0');
    await server.send(peer, Code.PUT, '/3303/0/5700', { query: ['hqmax=4'] });
    await server.observe(peer, '/3303/0/5700', { accept: senmlJson });
    const pack = await eventually(() => {
      const found = server.values.find((payload) => (JSON.parse(payload) as object[]).length === 4);
      if (found === undefined) throw new Error(`no pack in ${server.values.join(' ')}`);
      return JSON.parse(found) as { v: number; t: number }[];
    });
    expect(pack.map(({ v }) => v - (pack[0]?.v ?? 0))).toEqual([0, 1, 2, 3]);
    expect(pack[3]!.t - pack[0]!.t).toBeGreaterThan(0.4);
    await eventually(() => expect(running.tally.counts['value-dropped']).toBeGreaterThan(0));
    await running.stop();
    await server.endpoint.close();
  });
});

describe('a device that sends', () => {
  it('sends values with their times, also those that the server did not accept before', async () => {
    const server = await new TestServer().listen();
    const packs: number[] = [];
    server.onOther = ({ path, payload, contentFormat: format = -1 }) => {
      if (path.join('/') !== 'dp') return undefined;
      const values = decodeSend(format, payload, models);
      packs.push(values.length);
      expect(values.every(({ timeMs }) => timeMs !== undefined && Math.abs(timeMs - Date.now()) < 60_000)).toBe(true);
      return packs.length === 1 ? { code: Code.ServiceUnavailable } : { code: Code.Changed };
    };
    const running = await simulate({ SERVER: server.url, DEVICES: 1, SEND_VALUES: 2, SEND_SECONDS: 1, SENSORS: 2 });
    await eventually(() => expect(packs.length).toBeGreaterThanOrEqual(3));
    expect(packs.slice(0, 3)).toEqual([4, 8, 4]);
    expect(running.tally.counts['send-refused']).toBe(1);
    await running.stop();
    await server.endpoint.close();
  });

  it('does not fall asleep before the answer', async () => {
    const answerMs = 2_500;
    const server = await new TestServer(
      (options) =>
        new CoapUdpEndpoint({
          ...options,
          host: '127.0.0.1',
          onRequest: async (request) => {
            if (request.path[0] === 'dp') await new Promise((resolve) => setTimeout(resolve, answerMs));
            return options.onRequest(request);
          },
        }),
    ).listen();
    server.onOther = () => ({ code: Code.Changed });
    const asleep = { QUEUE_MODE: 'true', AWAKE_SECONDS: 2, ACK_TIMEOUT_MS: 10_000 };
    const running = await simulate({ SERVER: server.url, DEVICES: 1, SEND_VALUES: 1, SEND_SECONDS: 1, ...asleep });
    const { counts } = running.tally;
    await eventually(() => expect(counts['send-accepted'] + counts['send-refused']).toBeGreaterThan(0));
    expect(counts['send-refused']).toBe(0);
    await running.stop();
    await server.endpoint.close();
  });
});
