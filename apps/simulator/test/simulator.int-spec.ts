import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Code, CoapStreamEndpoint, CoapUdpEndpoint, type Peer } from '@lanyard/coap';
import { eventually } from '@lanyard/testing';
import { type RunningSimulator } from '../src/start.js';
import { type Settings, simulate as simulateAt } from './simulate.js';
import { TestServer } from './test-server.js';

describe('a simulated fleet', () => {
  let server: TestServer;
  let running: RunningSimulator | undefined;

  const simulate = async (settings: Settings = {}): Promise<RunningSimulator> => {
    running = await simulateAt({ SERVER: server.url, ...settings });
    return running;
  };
  const peerOf = (name: string): Peer => server.peerOf(name);

  beforeEach(async () => {
    server = await new TestServer().listen();
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await server.endpoint.close();
  });

  it('registers with an address each, and deregisters at the end', async () => {
    const simulator = await simulate();
    await eventually(() => simulator.tally.registered === 3);
    expect(new Set(server.received.map(({ peer }) => peer.key)).size).toBe(3);
    expect(server.received[0]?.query).toEqual(['ep=sim-0', 'lt=300', 'lwm2m=1.1', 'b=U', 'et=simulated']);
    await simulator.stop();
    running = undefined;
    expect(server.count(Code.DELETE, /^\/rd\/r\d$/)).toBe(3);
  });

  it('deregisters a device, too, whose registration is answered only when the simulator stops', async () => {
    let answerNow = (): void => undefined;
    const stopping = new Promise<void>((resolve) => (answerNow = resolve));
    await server.endpoint.close();
    server = await new TestServer(
      ({ onRequest, ...options }) =>
        new CoapUdpEndpoint({
          host: '127.0.0.1',
          ...options,
          onRequest: async (request) => {
            const response = await onRequest(request);
            if (request.method === Code.POST) await stopping;
            return response;
          },
        }),
    ).listen();
    const simulator = await simulate({ DEVICES: 1, ACK_TIMEOUT_MS: 30_000 });
    await eventually(() => server.registered('sim-0').length > 0);
    const stopped = simulator.stop();
    running = undefined;
    answerNow();
    await stopped;
    expect(server.count(Code.DELETE, /^\/rd\/r0$/)).toBe(1);
  });

  it('updates again and again before the lifetime ends', async () => {
    await simulate({ DEVICES: 1, LIFETIME_SECONDS: 3, UPDATE_SECONDS: 1 });
    await eventually(() => server.count(Code.POST, /^\/rd\/r0$/) >= 2);
    expect(server.registered('sim-0')).toHaveLength(1);
  });

  it('updates at random moments of the first interval when updates are spread', async () => {
    await simulate({ DEVICES: 100, LIFETIME_SECONDS: 600, UPDATE_SECONDS: 300, SPREAD_UPDATES: 'true' });
    await eventually(() => server.count(Code.POST, /^\/rd\/r\d+$/) >= 1, { timeoutMs: 120_000 });
  });

  it('answers reads, writes and executes, and knows what it executed', async () => {
    const simulator = await simulate();
    await eventually(() => simulator.tally.registered === 3);
    const peer = peerOf('sim-1');
    expect(await server.ask(peer, Code.GET, '/3/0/2')).toBe('2.5 sim-1');
    expect(await server.ask(peer, Code.GET, '/3303/0', { accept: 110 })).toMatch(/"v":2\d/);
    expect(await server.ask(peer, Code.GET, '/3', { accept: 40 })).toBe(
      '2.5 </3>,</3/0>,</3/0/0>,</3/0/1>,</3/0/2>,</3/0/3>,</3/0/4>,</3/0/6>;dim=2,</3/0/9>,</3/0/11>;dim=1,</3/0/13>,</3/0/16>',
    );
    expect(await server.ask(peer, Code.PUT, '/3341/0/5527', { payload: Buffer.from('hi') })).toBe('2.4 ');
    expect(await server.ask(peer, Code.GET, '/3341/0/5527')).toBe('2.5 hi');
    expect(await server.ask(peer, Code.PUT, '/3303/0/5700', { query: ['pmin=1'] })).toBe('2.4 ');
    expect(await server.ask(peer, Code.PUT, '/3303/0/5700', { payload: Buffer.from('1') })).toBe('4.5 ');
    expect(await server.ask(peer, Code.GET, '/9/0/0')).toBe('4.4 ');
    expect(await server.ask(peer, Code.POST, '/3/0/4', { payload: Buffer.from("0='a'") })).toBe('2.4 ');
    const executions = (await (await fetch(`${simulator.url}/executions`)).json()) as object;
    expect(executions).toEqual({ "sim-1 /3/0/4 0='a'": 1 });
    expect(await (await fetch(`${simulator.url}/metrics`)).text()).toMatch(/lanyard_simulator_registered\{.*\} 3/);
  });

  it.each([['confirmable'], ['non-confirmable']])('reports what is observed, %s', async (how) => {
    const simulator = await simulate({ VALUES_PER_SECOND: 50, NON_CONFIRMABLE: String(how !== 'confirmable') });
    await eventually(() => simulator.tally.registered === 3);
    await server.observe(peerOf('sim-2'), '/3303/0/5700');
    await eventually(() => server.values.length > 3);
    server.endpoint.forgetPeer(peerOf('sim-2'));
    await eventually(() => simulator.groups[0]?.group.watches.size === 0);
  });

  it('retries after a refusal, with back-off, until it is admitted', async () => {
    server.refusal = { code: Code.Forbidden };
    const simulator = await simulate({ DEVICES: 1 });
    await eventually(() => simulator.tally.counts.refused >= 3);
    server.refusal = undefined;
    await eventually(() => simulator.tally.registered === 1);
  });

  it('registers again when the server does not know it any more', async () => {
    const simulator = await simulate({ DEVICES: 1, UPDATE_SECONDS: 1 });
    await eventually(() => simulator.tally.registered === 1);
    server.refusal = { code: Code.NotFound };
    await eventually(() => simulator.tally.counts.refused > 0);
    server.refusal = undefined;
    await eventually(() => server.registered('sim-0').length >= 3 && simulator.tally.registered === 1);
  });

  it('updates at another server when the first one is silent, without registering again', async () => {
    const other = await new TestServer().listen();
    const simulator = await simulate({ DEVICES: 1, SERVER: `${server.url},${other.url}`, UPDATE_SECONDS: 1 });
    await eventually(() => simulator.tally.registered === 1);
    await server.endpoint.close();
    await eventually(() => other.count(Code.POST, /^\/rd\/r0$/) > 0);
    expect(other.registered('sim-0')).toHaveLength(0);
    await simulator.stop();
    running = undefined;
    await other.endpoint.close();
  });

  it('restarts devices, which register again', async () => {
    await simulate({ DEVICES: 1, RESTARTS_PER_MINUTE: 300 });
    await eventually(() => server.registered('sim-0').length >= 3);
  });

  it('sleeps in queue mode, and reports when it wakes', async () => {
    const simulator = await simulate({
      DEVICES: 1,
      QUEUE_MODE: 'true',
      AWAKE_SECONDS: 1,
      UPDATE_SECONDS: 3,
      VALUES_PER_SECOND: 0,
    });
    await eventually(() => simulator.tally.registered === 1);
    expect(server.registered('sim-0')[0]?.query).toContain('Q');
    await server.observe(peerOf('sim-0'), '/3303/0/5700');
    expect(await server.ask(peerOf('sim-0'), Code.GET, '/3/0/2')).toBe('2.5 sim-0');
    await eventually(() => server.values.length > 0);
  });

  it('forgets what was observed over a connection when that ends', async () => {
    const endpoints: CoapStreamEndpoint[] = [];
    const streams = await new TestServer((options) => {
      endpoints.push(new CoapStreamEndpoint({ host: '127.0.0.1', ...options }));
      return endpoints[0]!;
    }, 'coap+tcp').listen();
    const simulator = await simulate({ SERVER: streams.url, DEVICES: 1, VALUES_PER_SECOND: 50 });
    try {
      await eventually(() => simulator.tally.registered === 1);
      await streams.observe(streams.peerOf('sim-0'), '/3303/0/5700');
      await eventually(() => streams.values.length > 3);
      endpoints[0]!.disconnect(streams.peerOf('sim-0'), 'restarting');
      await eventually(() => streams.count(Code.POST, /^\/rd\/r0$/) > 0);
      expect(simulator.groups[0]?.group.watches.size).toBe(0);
    } finally {
      await simulator.stop();
      running = undefined;
      await streams.endpoint.close();
    }
  });
});
