/** The common part of a drill and an upgrade: load on a system, steps that disturb it, and the judgement at the end. */
import { Lanyard, textOf } from '@lanyard/client';
import { waitUntil } from '../lanyard/probes.ts';
import { say, sleep } from '../lanyard/project.ts';
import { CallbackApplication, sensorClient, sensorPath, SocketApplication } from './applications.ts';
import { Calls } from './calls.ts';
import { UpdateCampaign, updatableDevices } from './update-campaign.ts';
import { Simulator } from '../testing/simulator.ts';
import { acknowledged, executedTwice, lostValues, overtakenValues, unanswered } from './verdict.ts';
import type { RehearsedSystem } from './rehearsed-system.ts';

/**
 * `explains`: both versions know `GET /v3/explain`;
 * `audited`: the event log contains the actions of operators
 */
interface Load {
  devices: number;
  valuesPerSecond: number;
  callsPerSecond: number;
  settleMs: number;
  explains?: boolean;
  successGoal?: number;
  audited?: boolean;
}

export interface Row {
  name: string;
  seconds: number;
  calls: number;
  repeated: number;
  failed: number;
  slowestMs: number;
  note: string;
}

/** WebSocket close code (IANA registry). */
const serviceRestart = 1012;

/** `event_type` of a registration, of a change of a device group, and of a device that a campaign updated. */
const eventTypes = { registered: '106', groupChanged: '541', updated: '112' };

const patience = { timeoutMs: 180_000 };

/** Share of calls that must succeed at the first or second attempt, unless more is required. */
const usualSuccessGoal = 0.999;

export class Rehearsal {
  rows: Row[] = [];
  problems = new Map<string, number>();
  /** Steps in which a WebSocket was closed with another code than 1012, although its service stopped gracefully. */
  cut: string[] = [];
  /** Steps that were not completed. */
  broken: string[] = [];
  system: RehearsedSystem;
  load: Load;
  administrator: Lanyard;
  socket?: SocketApplication;
  callback?: CallbackApplication;
  fleet?: Simulator;
  ids?: Map<string, string>;
  calls?: Calls;
  campaign?: UpdateCampaign;

  constructor(system: RehearsedSystem, load: Load) {
    this.system = system;
    this.load = load;
    this.administrator = new Lanyard({ baseUrl: system.baseUrl, key: system.adminKey, retries: 10 });
  }

  sensorClient(name: string) {
    return sensorClient(this.system.baseUrl, this.administrator, name);
  }

  devices() {
    return Array.fromAsync(this.administrator.items('GET /v3/devices', { query: { limit: 1_000 } }));
  }

  /** Starts applications, then devices, then calls; resolves when all devices report. */
  async begin() {
    const { devices, valuesPerSecond, callsPerSecond } = this.load;
    const { key, lanyard } = await this.sensorClient('drill with a WebSocket');
    this.socket = await new SocketApplication().start(lanyard);
    const { lanyard: called } = await this.sensorClient('drill with a callback');
    this.callback = await new CallbackApplication().start(called, this.system.callbackHost);
    this.fleet = await Simulator.start({
      devices,
      server: this.system.coapUrls.join(','),
      'name-prefix': 'drill',
      'registrations-per-second': 20,
      'update-seconds': 10,
      'values-per-second': valuesPerSecond,
      'numbered-values': true,
      'ack-timeout-ms': 1_000,
      retransmissions: 3,
      'back-off-ms': 500,
      'back-off-max-ms': 3_000,
      ...updatableDevices,
    });
    const { fleet } = this;
    await waitUntil('observations', async () => (await fleet.state()).observations === devices, patience);
    await waitUntil('devices in the registry', async () => (await this.devices()).length === devices, patience);
    this.ids = new Map((await this.devices()).map(({ endpoint_name: name, id }) => [String(name), id]));
    const { id: groupId } = await this.administrator.call('POST /v3/device-groups', { body: { name: 'drill' } });
    const { explains = true } = this.load;
    const about = { deviceIds: [...this.ids.values()], groupId, explains };
    this.calls = new Calls({ gateways: this.system.baseUrls, key }, about);
    this.calls.start(callsPerSecond);
    this.campaign = await UpdateCampaign.create(this.administrator);
    await this.campaign.start();
  }

  /**
   * An error of `work` is a violation, but the next steps follow all the same, so that everything lost so far is
   * judged.
   * @param work returns a note for the table
   * @param options `inOrder`: services are stopped gracefully: a WebSocket must be closed with 1012 and no other code
   */
  async step(name: string, work: () => Promise<string | void>, { inOrder = false }: { inOrder?: boolean } = {}) {
    const { calls, socket } = this;
    if (!calls || !socket) throw new Error('not begun');
    socket.closes = [];
    const started = Date.now();
    const note = await work().then(
      (done) => done ?? '',
      (error: unknown) => {
        this.broken.push(`${name}: ${String(error)}`);
        return 'did not come to its end';
      },
    );
    await sleep(this.load.settleMs);
    const dead = await this.system.revive();
    const closes = socket.closes.map(({ code, reason }) => `WebSocket closed with ${code}${reason && `: ${reason}`}`);
    if (inOrder && socket.closes.some(({ code }) => code !== serviceRestart))
      this.cut.push(`${name}: ${closes.join(', ')}`);
    const text = [note, ...closes, ...dead.map((unit) => `${unit} ended by itself`)].filter(Boolean).join('; ');
    this.addRow(name, calls, started, text);
  }

  /** Adds the calls that have ended since the row before. */
  addRow(name: string, calls: Calls, started: number, note: string) {
    const { problems, ...tally } = calls.takeTally();
    this.rows.push({ name, seconds: (Date.now() - started) / 1_000, ...tally, note });
    for (const [problem, n] of problems) this.problems.set(problem, (this.problems.get(problem) ?? 0) + n);
    say(`${name}: ${tally.calls} calls, ${tally.repeated} repeated, ${tally.failed} failed${note ? ` (${note})` : ''}`);
  }

  /** Waits until everything that was promised has arrived. Returns what is wrong. */
  async end(): Promise<{ figures: Record<string, number>; violations: string[] }> {
    const { fleet, calls, socket, callback, ids, campaign } = this;
    if (!fleet || !calls || !socket || !callback || !ids || !campaign) throw new Error('not begun');
    const started = Date.now();
    await calls.stop();
    this.addRow('the last calls', calls, started, '');
    await campaign.finish();
    // The devices send no more values, so the set of values that must arrive is final.
    const sent = acknowledged(await fleet.values());
    const inboxes = [socket.inbox, callback.inbox];
    const lost = () =>
      inboxes.flatMap((inbox) => lostValues(inbox, sent, ids).map((value) => `${inbox.name}: ${value}`));
    const silent = () => unanswered(socket.inbox, calls.accepted);
    const isComplete = async () => lost().length + silent().length === 0;
    await waitUntil('values', isComplete, patience).catch(() => undefined);
    const overtaken = inboxes.flatMap((inbox) => overtakenValues(inbox, sent, ids).map((v) => `${inbox.name}: ${v}`));
    const twice = executedTwice(await fleet.executions());
    const stale = await this.staleSnapshots(sent, ids);
    const registered = (await fleet.state()).registrations;
    const logged = await this.logged(eventTypes.registered, registered);
    const changed = this.load.audited === false ? 0 : calls.groupChanges;
    const changesLogged = await this.logged(eventTypes.groupChanged, changed);
    const updated = await campaign.succeeded();
    const updatesLogged = await this.logged(eventTypes.updated, updated);
    const dead = await this.system.deadLetters();
    const total = (of: 'calls' | 'repeated' | 'failed') => this.rows.reduce((sum, row) => sum + row[of], 0);
    const success = 1 - total('failed') / Math.max(1, total('calls'));
    const list = (what: string, all: string[]) =>
      all.length > 0 ? [`${all.length} ${what}: ${all.slice(0, 5).join(', ')}`] : [];
    const unexpected = [...calls.unexpected].map(([answer, n]) => `${answer} (${n} times)`);
    return {
      figures: {
        'values acknowledged to devices': [...sent.values()].reduce((sum, numbers) => sum + numbers.length, 0),
        'values lost': lost().length,
        'values overtaken': overtaken.length,
        'values that came again': socket.inbox.repeated + callback.inbox.repeated,
        'commands accepted': calls.accepted.length,
        'commands without a result': silent().length,
        'executed twice': twice.length,
        'registrations of devices': registered,
        'registrations in the event log': logged,
        'changes by operators': changed,
        'changes in the event log': changesLogged,
        'devices updated by the campaign': updated,
        'updates in the event log': updatesLogged,
        'dead letters': dead.length,
        'reconnects of the WebSocket': socket.reconnects,
        calls: total('calls'),
        'calls repeated': total('repeated'),
        'calls failed': total('failed'),
        'success after one repetition, %': Math.floor(success * 1e5) / 1e3,
      },
      violations: [
        ...list('values lost', lost()),
        ...list('values overtaken', overtaken),
        ...list('commands without a result', silent()),
        ...list('executed twice', twice),
        ...list('snapshots behind', stale),
        ...list('devices not updated', await campaign.failed()),
        ...list('unexpected answers', unexpected),
        ...list('dead letters', dead),
        ...list('sockets cut in a restart', this.cut),
        ...(changesLogged < changed ? [`the event log has ${changesLogged} of ${changed} changes by operators`] : []),
        ...(updated < ids.size ? [`the campaign updated ${updated} of ${ids.size} devices`] : []),
        ...(updatesLogged !== updated ? [`the event log has ${updatesLogged} of ${updated} updates`] : []),
        ...(logged < registered ? [`the event log has ${logged} of ${registered} registrations`] : []),
        ...(success < (this.load.successGoal ?? usualSuccessGoal)
          ? [`success after one repetition is ${(success * 100).toFixed(3)} %`]
          : []),
      ],
    };
  }

  async staleSnapshots(sent: Map<string, number[]>, ids: Map<string, string>) {
    let behind: string[] = [];
    for (let tries = 0; tries < 30; tries++) {
      behind = [];
      for (const [name, numbers] of sent) {
        const path = { deviceId: ids.get(name) ?? '' };
        const { resources } = await this.administrator.call('GET /v3/devices/{deviceId}/echo', { path });
        const reported = resources.find((one) => one.resource_path === sensorPath)?.reported;
        const value = Number(textOf(Buffer.from(reported?.value ?? '', 'base64')));
        const newest = numbers.at(-1) ?? 0;
        const isMissing = !reported && newest > 0;
        // A read between the values returns what the sensor measures, which is far below these numbers.
        if (isMissing || (value >= 1_000 && value < newest)) behind.push(`${name} ${value} < ${newest}`);
      }
      if (behind.length === 0) return behind;
      await sleep(1_000);
    }
    return behind;
  }

  /** How many entries of a type the event log has. Waits for at least `wanted`. */
  async logged(type: string, wanted: number) {
    for (let tries = 0; ; tries++) {
      const query = { event_type: type, include: 'total_count', limit: 2 };
      const { total_count: found = 0 } = await this.administrator.call('GET /v3/device-events', { query });
      if (found >= wanted || tries === 30) return found;
      await sleep(1_000);
    }
  }

  stop() {
    this.socket?.stop();
    this.callback?.stop();
    this.fleet?.stop();
    void this.calls?.stop();
  }
}
