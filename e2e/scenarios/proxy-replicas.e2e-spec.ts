import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Application } from '../application.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { sessionsAt } from '../../tools/testing/metrics.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { eventually, patienceMs } from '../patience.ts';

/** More for a long run: `LANYARD_E2E_DEVICES=5000 npm test -- proxy-replicas`. */
const devices = Number(process.env['LANYARD_E2E_DEVICES'] ?? 100);
const updateSeconds = Math.max(4, devices / 100);
const commandsPerSecond = 30;
/** Calls that wait for an answer: a slow machine is not buried. */
const callsMax = 30;

/** A device notices silence 0.5 + 1 + 2 s after its update (times up to 1.5), pauses up to a second, and shows up elsewhere. */
const backAgainMs = updateSeconds * 1_000 + patienceMs;

const final = ['succeeded', 'failed', 'expired'];

interface Record {
  async_id: string;
  state: string;
  status: number;
  error: string | null;
}

const b64 = (text: string): string => Buffer.from(text).toString('base64');

/** Reads, writes and executions, one device after the other, until told to stop; whatever was accepted is remembered. */
class Commands {
  readonly accepted: string[] = [];
  /** By async-id: the argument that the execution has. */
  readonly executions = new Map<string, string>();
  private readonly calls: Promise<void>[] = [];
  private readonly timer: NodeJS.Timeout;
  private number = 0;
  private open = 0;

  constructor(
    private readonly app: Application,
    private readonly ids: readonly string[],
  ) {
    this.timer = setInterval(() => this.call(), 1_000 / commandsPerSecond);
  }

  /** Waits until the service took more of them. */
  async goOn(): Promise<void> {
    const before = this.accepted.length;
    await eventually(() => this.accepted.length >= before + 2 * commandsPerSecond);
  }

  private call(): void {
    if (this.open >= callsMax) return;
    this.open++;
    this.calls.push(this.send().finally(() => this.open--));
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.calls);
  }

  private async send(): Promise<void> {
    const number = this.number++;
    const asyncId = `c-${number}`;
    const argument = `0='${number}'`;
    const bodies = [
      { method: 'POST', uri: '/3/0/4', 'content-type': 'text/plain', 'payload-b64': b64(argument) },
      { method: 'GET', uri: '/3/0/2' },
      { method: 'PUT', uri: '/3341/0/5527', 'content-type': 'text/plain', 'payload-b64': b64(asyncId) },
    ];
    const url = `/v2/device-requests/${this.ids[number % this.ids.length]}?async-id=${asyncId}&retry=3&expiry-seconds=120`;
    if (number % 3 === 0) this.executions.set(asyncId, argument);
    // A replica that dies in the middle gives an error or nothing: that command was not accepted, but may have been stored.
    const reply = await this.app.call('POST', url, bodies[number % 3]).catch(() => undefined);
    if (reply?.status === 202) this.accepted.push(asyncId);
  }
}

describe('a device-proxy of two dies or stands still while commands run', () => {
  let system: RunningSystem;
  let app: Application;
  let fleet: Simulator | undefined;
  let commands: Commands | undefined;
  let disconnect = (): void => undefined;
  const urls: string[] = [];

  /** All devices, page by page. */
  const list = async <T>(path: string): Promise<T[]> => {
    const all: T[] = [];
    for (let after = ''; ;) {
      const { json } = await app.call('GET', `${path}?limit=1000${after}`);
      all.push(...(json.data as T[]));
      if (!json.has_more) return all;
      after = `&after=${json.data.at(-1).id}`;
    }
  };

  const allAt = async (url: string): Promise<void> => {
    await eventually(async () => expect(await sessionsAt(url)).toBe(devices), { timeoutMs: backAgainMs });
    await eventually(async () => expect((await (fleet as Simulator).state()).registered).toBe(devices));
  };

  beforeAll(async () => {
    system = await startSystem('proxies', { replicas: { 'device-proxy': 2 } });
    urls.push(...[0, 1].map((n) => system.unit(`device-proxy-${n}`).unit.address));
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects();
    disconnect = () => app.closes();
    fleet = await Simulator.start({
      devices,
      server: system.coapUrls.join(','),
      'registrations-per-second': 50,
      'update-seconds': updateSeconds,
      'values-per-second': 0,
      'ack-timeout-ms': 500,
      retransmissions: 2,
      'back-off-ms': 500,
      'back-off-max-ms': 1_000,
    });
    const fleetNow = fleet;
    await eventually(async () => (await fleetNow.state()).registered === devices, {
      timeoutMs: patienceMs + devices * 40,
    });
    const known = async (): Promise<{ id: string }[]> => list('/v3/devices');
    await eventually(async () => expect(await known()).toHaveLength(devices));
    commands = new Commands(
      app,
      (await known()).map(({ id }) => id),
    );
  });

  afterAll(async () => {
    await commands?.stop();
    await fleet?.stop('SIGTERM');
    disconnect();
    await system?.stop();
  });

  it('kill -9: its devices come back at the other one within their update period', async () => {
    await commands?.goOn();
    system.signal('device-proxy-0', 'SIGKILL');
    await allAt(urls[1] as string);
  });

  it('SIGSTOP: the same, and when it resumes it knows that they are no longer its own', async () => {
    await system.restart('device-proxy-0');
    await commands?.goOn();
    system.signal('device-proxy-1', 'SIGSTOP');
    await allAt(urls[0] as string);
    system.signal('device-proxy-1', 'SIGCONT');
    // What devices sent it while it stood still was waiting in its socket: it takes them back until their next update.
    await allAt(urls[0] as string);
    await eventually(async () => expect(await sessionsAt(urls[1] as string)).toBe(0), { timeoutMs: backAgainMs });
  });

  it('every accepted command ends, in one way, and nothing ran twice without saying so', async () => {
    await commands?.stop();
    const { accepted, executions } = commands as Commands;
    expect(accepted.length).toBeGreaterThan(100);
    let records: Record[] = [];
    await eventually(
      async () => {
        records = await list<Record>('/v3/device-requests');
        expect(records.filter(({ state }) => !final.includes(state))).toEqual([]);
      },
      { timeoutMs: 120_000 + patienceMs },
    );
    const byId = new Map(records.map((record) => [record.async_id, record]));
    expect(accepted.filter((asyncId) => !byId.has(asyncId))).toEqual([]);

    await eventually(
      () => {
        const told = new Set(app.items('async-responses').map(({ id }) => id as string));
        expect(accepted.filter((asyncId) => !told.has(asyncId))).toEqual([]);
      },
      { timeoutMs: patienceMs },
    );
    // An answer may be delivered twice, but it is the same one.
    const answers = app.items('async-responses').map(({ id, status }) => [id, status] as [string, number]);
    expect(answers.filter(([id, status]) => byId.get(id)?.status !== status)).toEqual([]);

    const executed = await (fleet as Simulator).executionsOf('/3/0/4');
    const told = [...executions].flatMap(([asyncId, argument]) => {
      const record = byId.get(asyncId);
      return record ? [{ asyncId, times: executed.get(argument) ?? 0, state: record.state, error: record.error }] : [];
    });
    expect(told.filter(({ times, error }) => times > 1 && error !== 'TIMEOUT')).toEqual([]);
    expect(told.filter(({ times, state }) => state === 'succeeded' && times !== 1)).toEqual([]);
    // Where it ran and that is not known, the answer says so.
    const unsaid = told.filter(
      ({ times, state, error }) => times === 1 && state !== 'succeeded' && error !== 'TIMEOUT',
    );
    expect(unsaid).toEqual([]);
  });
});
