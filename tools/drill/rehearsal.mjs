/** Load on a system, steps that disturb it, and the judgement at the end: what a drill and an upgrade have in common. */
import { say, sleep } from '../lanyard/project.mjs';
import { ApiClient, emptyTally } from './api-client.mjs';
import { CallbackApplication, sensorPath, SocketApplication } from './applications.mjs';
import { Calls } from './calls.mjs';
import { Fleet } from './fleet.mjs';
import { acknowledged, deadLetters, executedTwice, lostValues, overtakenValues, unanswered } from './verdict.mjs';

/**
 * @typedef {import('./system.mjs').DrillSystem} DrillSystem
 * @typedef {{ devices: number, valuesPerSecond: number, callsPerSecond: number, settleMs: number,
 *   paths?: (path: string) => boolean, successGoal?: number, audited?: boolean }} Load `paths`: those that are called;
 *   `audited`: what operators do is in the event log
 * @typedef {{ name: string, seconds: number, calls: number, repeated: number, failed: number, slowestMs: number, note: string }} Row
 */

/** WebSocket close code (IANA registry). */
const serviceRestart = 1012;

/** `event_type` of a registration, and of a change of a device group. */
const eventTypes = { registered: '106', groupChanged: '541' };

const setUpWithinMs = 180_000;
const arrivesWithinMs = 180_000;

/** Calls that succeed at the first attempt or at the second, unless more is asked for. */
const usualSuccessGoal = 0.999;

/** @param {string} what @param {() => Promise<boolean>} condition @param {number} timeoutMs */
const until = async (what, condition, timeoutMs) => {
  for (const end = Date.now() + timeoutMs; !(await condition());) {
    if (Date.now() > end) throw new Error(`${what}: not within ${timeoutMs / 1_000} s`);
    await sleep(250);
  }
};

export class Rehearsal {
  /** @type {Row[]} */
  rows = [];
  /** @type {Map<string, number>} */
  problems = new Map();
  /** Steps in which a WebSocket was not told that its service restarts. @type {string[]} */
  cut = [];

  /** @param {DrillSystem} system @param {Load} load */
  constructor(system, load) {
    this.system = system;
    this.load = load;
    const { constellation } = system;
    this.administrator = new ApiClient(constellation.baseUrls, constellation.adminKey());
  }

  /** A key of its own. @param {string} name */
  async client(name) {
    const { key } = await this.administrator.must('POST', '/v3/api-keys', { name });
    const client = new ApiClient(this.system.constellation.baseUrls, key);
    await client.must('PUT', '/v2/subscriptions', [{ 'endpoint-type': 'simulated', 'resource-path': [sensorPath] }]);
    return client;
  }

  /** Applications, then devices, then calls; resolves when all devices report. */
  async begin() {
    const { devices, valuesPerSecond, callsPerSecond } = this.load;
    const api = await this.client('drill with a WebSocket');
    this.socket = await new SocketApplication(api).start();
    this.callback = await new CallbackApplication(await this.client('drill with a callback')).start();
    this.fleet = await Fleet.start({
      devices,
      server: this.system.constellation.coapUrls.join(','),
      'name-prefix': 'drill',
      'registrations-per-second': 20,
      'update-seconds': 10,
      'values-per-second': valuesPerSecond,
      'numbered-values': '',
      'ack-timeout-ms': 1_000,
      retransmissions: 3,
      'back-off-ms': 500,
      'back-off-max-ms': 3_000,
      'report-seconds': 3_600,
    });
    const { fleet } = this;
    await until('observations', async () => (await fleet.gauge('observations')) === devices, setUpWithinMs);
    await until(
      'devices in the registry',
      async () => (await this.administrator.all('/v3/devices')).length === devices,
      setUpWithinMs,
    );
    this.ids = new Map((await this.administrator.all('/v3/devices')).map((d) => [d.endpoint_name, d.id]));
    const group = await this.administrator.must('POST', '/v3/device-groups', { name: 'drill' });
    this.calls = new Calls(api, [...this.ids.values()], group.id, this.load.paths);
    this.calls.start(callsPerSecond);
  }

  /**
   * @param {string} name @param {() => Promise<string | void>} work gives a note for the table
   * @param {{ inOrder?: boolean }} [options] a service is stopped in order: a WebSocket is closed with 1012 and not otherwise
   */
  async step(name, work, { inOrder = false } = {}) {
    const { calls, socket } = this;
    if (!calls || !socket) throw new Error('not begun');
    socket.closes = [];
    const tally = (calls.api.tally = emptyTally());
    const started = Date.now();
    const note = (await work()) ?? '';
    await sleep(this.load.settleMs);
    const dead = await this.system.revive();
    const { calls: count, repeated, failed, slowestMs } = tally;
    const closes = socket.closes.map((code) => `WebSocket closed with ${code}`);
    if (inOrder && socket.closes.some((code) => code !== serviceRestart))
      this.cut.push(`${name}: ${closes.join(', ')}`);
    const text = [note, ...closes, ...dead.map((unit) => `${unit} ended by itself`)].filter(Boolean).join('; ');
    this.rows.push({
      name,
      seconds: (Date.now() - started) / 1_000,
      calls: count,
      repeated,
      failed,
      slowestMs,
      note: text,
    });
    for (const [problem, n] of tally.problems) this.problems.set(problem, (this.problems.get(problem) ?? 0) + n);
    say(`${name}: ${count} calls, ${repeated} repeated, ${failed} failed${text ? ` (${text})` : ''}`);
  }

  /** Waits until everything that was promised has come. Gives what is wrong. @returns {Promise<{ figures: Record<string, number>, violations: string[] }>} */
  async end() {
    const { fleet, calls, socket, callback, ids } = this;
    if (!fleet || !calls || !socket || !callback || !ids) throw new Error('not begun');
    await calls.stop();
    const sent = await this.allAcknowledged(fleet);
    const inboxes = [socket.inbox, callback.inbox];
    const lost = () =>
      inboxes.flatMap((inbox) => lostValues(inbox, sent, ids).map((value) => `${inbox.name}: ${value}`));
    const silent = () => unanswered(socket.inbox, calls.accepted);
    await until('values', async () => lost().length + silent().length === 0, arrivesWithinMs).catch(() => undefined);
    const overtaken = inboxes.flatMap((inbox) => overtakenValues(inbox, sent, ids).map((v) => `${inbox.name}: ${v}`));
    const twice = executedTwice(await fleet.executions());
    const stale = await this.staleSnapshots(sent, ids);
    const registered = await fleet.count('registered');
    const logged = await this.logged(eventTypes.registered, registered);
    const changed = this.load.audited === false ? 0 : calls.groupChanges;
    const changesLogged = await this.logged(eventTypes.groupChanged, changed);
    const dead = deadLetters(this.system.constellation.logs);
    const total = this.rows.reduce((sum, row) => ({ calls: sum.calls + row.calls, failed: sum.failed + row.failed }), {
      calls: 0,
      failed: 0,
    });
    const success = 1 - total.failed / Math.max(1, total.calls);
    const list = (/** @type {string} */ what, /** @type {string[]} */ all) =>
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
        'dead letters': dead.length,
        'reconnects of the WebSocket': socket.reconnects,
        calls: total.calls,
        'calls repeated': this.rows.reduce((sum, row) => sum + row.repeated, 0),
        'calls failed': total.failed,
        'success after one repetition, %': Math.floor(success * 1e5) / 1e3,
      },
      violations: [
        ...list('values lost', lost()),
        ...list('values overtaken', overtaken),
        ...list('commands without a result', silent()),
        ...list('executed twice', twice),
        ...list('snapshots behind', stale),
        ...list('unexpected answers', unexpected),
        ...list('dead letters', dead),
        ...list('sockets cut in a restart', this.cut),
        ...(changesLogged < changed ? [`the event log has ${changesLogged} of ${changed} changes by operators`] : []),
        ...(logged < registered ? [`the event log has ${logged} of ${registered} registrations`] : []),
        ...(success < (this.load.successGoal ?? usualSuccessGoal)
          ? [`success after one repetition is ${(success * 100).toFixed(3)} %`]
          : []),
      ],
    };
  }

  /** Devices have nothing more to send: what they are owed is settled. @param {Fleet} fleet */
  async allAcknowledged(fleet) {
    return acknowledged(await fleet.values());
  }

  /** @param {Map<string, number[]>} sent @param {Map<string, string>} ids */
  async staleSnapshots(sent, ids) {
    /** @type {string[]} */
    let behind = [];
    for (let tries = 0; tries < 30; tries++) {
      behind = [];
      for (const [name, numbers] of sent) {
        const { resources } = await this.administrator.must('GET', `/v3/devices/${ids.get(name)}/echo`);
        const resource = resources.find((/** @type {any} */ r) => r.resource_path === sensorPath);
        const value = Number(Buffer.from(resource?.reported?.value ?? '', 'base64').toString());
        // A read between the values shows what the sensor measures, far below the numbers.
        if (value >= 1_000 && value < (numbers.at(-1) ?? 0)) behind.push(`${name} ${value} < ${numbers.at(-1)}`);
      }
      if (behind.length === 0) return behind;
      await sleep(1_000);
    }
    return behind;
  }

  /** How many entries of a type the event log has, as soon as it has those. @param {string} type @param {number} wanted */
  async logged(type, wanted) {
    for (let tries = 0; ; tries++) {
      const { total_count } = await this.administrator.must(
        'GET',
        `/v3/device-events?event_type=${type}&include=total_count&limit=2`,
      );
      if (total_count >= wanted || tries === 30) return total_count;
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

/** @param {readonly Row[]} rows */
export const table = (rows) => {
  const cells = [
    ['step', 'seconds', 'calls', 'repeated', 'failed', 'slowest ms', 'note'],
    ...rows.map((r) => [
      r.name,
      r.seconds.toFixed(1),
      ...[r.calls, r.repeated, r.failed, Math.round(r.slowestMs)].map(String),
      r.note,
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};
