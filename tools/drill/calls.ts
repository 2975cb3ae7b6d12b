/** REST calls to every service at an even rate, until stopped. A failed call is retried once, at the other gateway. */
import { Lanyard, RequestFailed, type Command } from '@lanyard/client';
import { sensorPath } from './applications.ts';

const patienceMs = 20_000;

interface Tally {
  calls: number;
  repeated: number;
  failed: number;
  problems: Map<string, number>;
  slowestMs: number;
}

const emptyTally = (): Tally => ({ calls: 0, repeated: 0, failed: 0, problems: new Map(), slowestMs: 0 });

const count = (counts: Map<string, number>, what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);

/** Text about a failed call, without ids. */
const textOf = (error: unknown) =>
  String(error)
    .replace(/[0-9a-f]{32}/g, '{id}')
    .replace(/drill-\d+/, '{async-id}');

export class Calls {
  /** Counts of the calls that have ended in the current step; replaced at each step. */
  tally = emptyTally();
  turn = 0;
  number = 0;
  inFlight = new Set<Promise<void>>();
  timer: NodeJS.Timeout | undefined;
  /** Async-ids of commands that were accepted. */
  accepted: string[] = [];
  /** Answers that no client expects. */
  unexpected = new Map<string, number>();
  /** Changes of the group that were answered 2xx: operator actions, which the event log must contain. */
  groupChanges = 0;
  gateways: readonly string[];
  key: string;
  deviceIds: readonly string[];
  groupId: string;
  explains: boolean;

  constructor(
    { gateways, key }: { gateways: readonly string[]; key: string },
    { deviceIds, groupId, explains = true }: { deviceIds: readonly string[]; groupId: string; explains?: boolean },
  ) {
    this.gateways = gateways;
    this.key = key;
    this.deviceIds = deviceIds;
    this.groupId = groupId;
    this.explains = explains;
  }

  start(perSecond: number) {
    this.timer = setInterval(() => {
      const call = this.next().finally(() => this.inFlight.delete(call));
      this.inFlight.add(call);
    }, 1_000 / perSecond);
  }

  async stop() {
    clearInterval(this.timer);
    await Promise.all(this.inFlight);
  }

  /** The counts of the step that ended. */
  takeTally() {
    const { tally } = this;
    this.tally = emptyTally();
    return tally;
  }

  async next() {
    const number = this.number++;
    const id = this.deviceIds[number % this.deviceIds.length] as string;
    const asyncId = `drill-${number}`;
    const description = `call ${number}`;
    const kinds: ((lanyard: Lanyard) => Promise<unknown>)[] = [
      (lanyard) => lanyard.call('GET /v3/devices', { query: { limit: 5 } }),
      (lanyard) => lanyard.call('GET /v3/devices/{id}', { path: { id } }),
      (lanyard) => lanyard.call('GET /v3/devices/{deviceId}/echo', { path: { deviceId: id } }),
      (lanyard) => lanyard.call('GET /v3/device-events', { query: { limit: 5 } }),
      (lanyard) => lanyard.call('PUT /v3/devices/{id}', { path: { id }, body: { description } }),
      (lanyard) => this.changeGroup(lanyard, description),
      (lanyard) => lanyard.call('GET /v2/endpoints'),
      (lanyard) => lanyard.call('GET /v2/notification/channel'),
      (lanyard) => lanyard.call('GET /v3/api-keys/{id}', { path: { id: 'me' } }),
      (lanyard) => lanyard.call('GET /v3/update-campaigns', { query: { limit: 5 } }),
      async (lanyard) => this.explains && lanyard.call('GET /v3/explain', { query: { device_id: id } }),
      (lanyard) => this.command(lanyard, id, asyncId, { method: 'GET', uri: sensorPath }),
      (lanyard) => this.command(lanyard, id, asyncId, { method: 'PUT', uri: '/3341/0/5527', payload: asyncId }),
      (lanyard) => this.command(lanyard, id, asyncId, { method: 'POST', uri: '/3/0/4', payload: `0='${number}'` }),
    ];
    const kind = kinds[number % kinds.length];
    if (kind) await this.counted(kind);
  }

  async counted(work: (lanyard: Lanyard) => Promise<unknown>) {
    const { gateways, key } = this;
    const [baseUrl = ''] = gateways;
    const started = performance.now();
    let attempts = 0;
    // The second attempt uses the other gateway, as a load balancer does that has noticed the failure.
    const first = this.turn++;
    const inTurn: typeof fetch = (url, init) =>
      fetch(String(url).replace(baseUrl, gateways[(first + attempts++) % gateways.length] ?? ''), init);
    try {
      await work(new Lanyard({ baseUrl, key, retries: 1, timeoutMs: patienceMs, fetch: inTurn }));
    } catch (error) {
      const isAnswer = error instanceof RequestFailed && error.status < 500 && error.status !== 429;
      if (!isAnswer) this.tally.failed++;
      count(isAnswer ? this.unexpected : this.tally.problems, textOf(error));
    }
    // It counts where it ends: the step in which it began may be over.
    const { tally } = this;
    tally.calls++;
    tally.repeated += Math.max(0, attempts - 1);
    tally.slowestMs = Math.max(tally.slowestMs, performance.now() - started);
  }

  async changeGroup(lanyard: Lanyard, description: string) {
    await lanyard.call('PUT /v3/device-groups/{id}', { path: { id: this.groupId }, body: { description } });
    this.groupChanges++;
  }

  async command(lanyard: Lanyard, device: string, asyncId: string, command: Command) {
    await lanyard.sendCommand(device, command, { asyncId, idempotencyKey: asyncId, retry: 3, expirySeconds: 600 });
    this.accepted.push(asyncId);
  }
}
