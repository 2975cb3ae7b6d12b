import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Code, type CoapRequest, type CoapResponse, CoapUdpEndpoint, type Peer } from '@lanyard/coap';
import { eventually } from '@lanyard/testing';
import { readConfig } from '../src/config.js';
import { type RunningSimulator, start } from '../src/start.js';

interface ReceivedRequest {
  method: number;
  path: string;
  query: string[];
  peer: Peer;
}

/** A CoAP server that takes every registration, unless told otherwise. */
class Server {
  readonly received: ReceivedRequest[] = [];
  readonly values: string[] = [];
  refusal: CoapResponse | undefined;
  port = 0;
  private registrations = 0;
  readonly endpoint = new CoapUdpEndpoint({
    host: '127.0.0.1',
    limits: { closeTimeoutMs: 50 },
    onRequest: (request) => Promise.resolve(this.answer(request)),
  });

  async listen(): Promise<this> {
    this.port = (await this.endpoint.listen()).port;
    return this;
  }

  get url(): string {
    return `coap://127.0.0.1:${this.port}`;
  }

  registered(name: string): ReceivedRequest[] {
    return this.received.filter(({ query }) => query.includes(`ep=${name}`));
  }

  count(method: number, path: RegExp): number {
    return this.received.filter((one) => one.method === method && path.test(one.path)).length;
  }

  async ask(peer: Peer, method: number, path: string, rest: object = {}): Promise<string> {
    const { code, payload } = await this.endpoint.request(peer, { method, path: path.split('/').slice(1), ...rest });
    return `${code >> 5}.${code & 31} ${payload.toString()}`;
  }

  async observe(peer: Peer, path: string): Promise<void> {
    await this.endpoint.observe(peer, { method: Code.GET, path: path.split('/').slice(1) }, async ({ payload }) => {
      this.values.push(payload.toString());
    });
  }

  private answer({ method, path, query, peer }: CoapRequest): CoapResponse {
    this.received.push({ method, path: `/${path.join('/')}`, query, peer });
    if (this.refusal) return this.refusal;
    if (method === Code.DELETE) return { code: Code.Deleted };
    if (path.length === 2) return { code: Code.Changed };
    return { code: Code.Created, locationPath: ['rd', `r${this.registrations++}`] };
  }
}

describe('a simulated fleet', () => {
  let server: Server;
  let running: RunningSimulator | undefined;

  const simulate = async (settings: Record<string, string | number> = {}): Promise<RunningSimulator> => {
    const variables = {
      SERVER: server.url,
      DEVICES: 3,
      BACK_OFF_MS: 100,
      ACK_TIMEOUT_MS: 100,
      RETRANSMISSIONS: 1,
      ...settings,
    };
    const source = Object.entries(variables).map(([name, value]) => [`SIMULATOR_${name}`, String(value)]);
    running = await start(readConfig(Object.fromEntries(source) as NodeJS.ProcessEnv), () => undefined);
    return running;
  };
  const peerOf = (name: string): Peer => (server.registered(name).at(-1) as ReceivedRequest).peer;

  beforeEach(async () => {
    server = await new Server().listen();
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

  it('updates again and again before the lifetime ends', async () => {
    await simulate({ DEVICES: 1, LIFETIME_SECONDS: 3, UPDATE_SECONDS: 1 });
    await eventually(() => server.count(Code.POST, /^\/rd\/r0$/) >= 2);
    expect(server.registered('sim-0')).toHaveLength(1);
  });

  it('answers reads, writes and executes, and knows what it executed', async () => {
    const simulator = await simulate();
    await eventually(() => simulator.tally.registered === 3);
    const peer = peerOf('sim-1');
    expect(await server.ask(peer, Code.GET, '/3/0/2')).toBe('2.5 sim-1');
    expect(await server.ask(peer, Code.GET, '/3303/0', { accept: 110 })).toMatch(/"v":2\d/);
    expect(await server.ask(peer, Code.GET, '/3', { accept: 40 })).toBe(
      '2.5 </3/0/0>,</3/0/1>,</3/0/2>,</3/0/4>,</3/0/9>,</3/0/16>',
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
    await eventually(() => simulator.watches.size === 0);
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
    await eventually(() => simulator.tally.counts.refused === 1);
    server.refusal = undefined;
    await eventually(() => server.registered('sim-0').length >= 3 && simulator.tally.registered === 1);
  });

  it('updates at another server when the first one is silent, without registering again', async () => {
    const other = await new Server().listen();
    const simulator = await simulate({ DEVICES: 1, SERVER: `${server.url},${other.url}`, UPDATE_SECONDS: 1 });
    await eventually(() => simulator.tally.registered === 1);
    await server.endpoint.close();
    await eventually(() => other.count(Code.POST, /^\/rd\/r0$/) > 0, { timeoutMs: 10_000 });
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
    await eventually(() => server.values.length > 0, { timeoutMs: 10_000 });
  });
});
