/** Sends reads, writes and executions to one device after another, and records the outcome of each. */
import type { Channel, DeviceCommand, Lanyard } from '@lanyard/client';
import { waitUntil } from '../lanyard/probes.ts';
import type { Simulator } from './simulator.ts';

const perSecond = 30;
/** Calls that may wait for an answer at a time, so that a slow machine is not overloaded. */
const callsMax = 30;
const executed = '/3/0/4';
const final = ['succeeded', 'failed', 'expired'];
const patience = { timeoutMs: 300_000 };

const argumentOf = (number: number) => `0='${number}'`;

const commandOf = (number: number, asyncId: string) =>
  [
    { method: 'POST' as const, uri: executed, payload: argumentOf(number) },
    { method: 'GET' as const, uri: '/3/0/2' },
    { method: 'PUT' as const, uri: '/3341/0/5527', payload: asyncId },
  ][number % 3] as { method: 'GET'; uri: string };

/** The ids of the devices, when the directory knows all of them. */
export const idsOfDevices = async (lanyard: Lanyard, devices: number) => {
  let ids: string[] = [];
  const areKnown = async () => {
    ids = [];
    for await (const { id } of lanyard.items('GET /v3/devices', { query: { limit: 1_000 } })) ids.push(id);
    return ids.length === devices;
  };
  await waitUntil(`${devices} devices in the directory`, areKnown, patience);
  return ids;
};

export class CommandLoad {
  number = 0;
  open = new Set<Promise<void>>();
  /** Async-ids of commands that the service accepted. */
  accepted: string[] = [];
  /** The argument of each execution, by async-id. */
  executions = new Map<string, string>();
  /** Statuses that arrived on the channel, by async-id. */
  told = new Map<string, Set<number>>();
  lanyard: Lanyard;
  ids: readonly string[];
  channel: Channel;
  timer: NodeJS.Timeout;

  constructor(lanyard: Lanyard, ids: readonly string[], channel: Channel) {
    this.lanyard = lanyard;
    this.ids = ids;
    this.channel = channel;
    this.timer = setInterval(() => this.call(), 1_000 / perSecond);
    void this.listen();
  }

  /** @param ids of the devices */
  static async start(lanyard: Lanyard, ids: readonly string[]) {
    return new CommandLoad(lanyard, ids, await lanyard.listen({ reconnectMaxMs: 1_000 }));
  }

  async listen() {
    for await (const event of this.channel)
      if (event.category === 'async-responses')
        this.told.set(event.asyncId, (this.told.get(event.asyncId) ?? new Set()).add(event.status));
  }

  call() {
    if (this.open.size >= callsMax) return;
    const call = this.send().finally(() => this.open.delete(call));
    this.open.add(call);
  }

  async send() {
    const number = this.number++;
    const asyncId = `c-${number}`;
    if (number % 3 === 0) this.executions.set(asyncId, argumentOf(number));
    const device = this.ids[number % this.ids.length] as string;
    try {
      await this.lanyard.sendCommand(device, commandOf(number, asyncId), { asyncId, retry: 3, expirySeconds: 300 });
      this.accepted.push(asyncId);
    } catch {
      // A replica that dies in the middle gives an error or no answer: the command is not accepted, though it may have been stored.
    }
  }

  /** Waits until the service has accepted as many more commands as are sent in two seconds. */
  async more() {
    const wanted = this.accepted.length + 2 * perSecond;
    await waitUntil('accepted commands', async () => this.accepted.length >= wanted, patience);
  }

  async stop() {
    clearInterval(this.timer);
    await Promise.all(this.open);
    this.channel.close();
  }

  /** Waits until all commands have ended, and checks them. Throws when a promise was broken. */
  async finish(fleet: Simulator) {
    clearInterval(this.timer);
    await Promise.all(this.open);
    const records = await this.ended();
    const byId = new Map(records.map((record) => [record.async_id, record]));
    const areTold = async () => this.accepted.every((asyncId) => this.told.has(asyncId));
    await waitUntil('results on the channel', areTold, patience).catch(() => undefined);
    this.channel.close();
    const times = await fleet.executionsOf(executed);
    const ran = [...this.executions].flatMap(([asyncId, argument]) => {
      const record = byId.get(asyncId);
      return record ? [{ ...record, times: times.get(argument) ?? 0 }] : [];
    });
    const contradicts = ([asyncId, statuses]: [string, Set<number>]) =>
      statuses.size > 1 || !statuses.has(byId.get(asyncId)?.status ?? -1);
    const broken = {
      accepted_without_a_record: this.accepted.filter((asyncId) => !byId.has(asyncId)).length,
      answers_missing: this.accepted.filter((asyncId) => !this.told.has(asyncId)).length,
      answers_contradicting: [...this.told].filter(contradicts).length,
      ran_twice_unsaid: ran.filter((one) => one.times > 1 && one.error !== 'TIMEOUT').length,
      succeeded_without_running: ran.filter((one) => one.state === 'succeeded' && one.times !== 1).length,
      ran_and_denied: ran.filter((one) => one.times > 0 && one.state !== 'succeeded' && one.error !== 'TIMEOUT').length,
    };
    const count = (which: (record: DeviceCommand) => boolean) => records.filter(which).length;
    const figures = {
      commands_sent: this.number,
      commands_accepted: this.accepted.length,
      commands_succeeded: count(({ state }) => state === 'succeeded'),
      commands_failed: count(({ state }) => state === 'failed'),
      commands_in_doubt: count(({ error }) => error === 'TIMEOUT'),
      commands_expired: count(({ state }) => state === 'expired'),
      attempts_repeated: count(({ attempts }) => attempts > 1),
      ...broken,
    };
    if (Object.values(broken).some((number) => number > 0)) throw new Error(`broken: ${JSON.stringify(figures)}`);
    return figures;
  }

  async ended() {
    let records: DeviceCommand[] = [];
    const haveEnded = async () => {
      records = [];
      for await (const record of this.lanyard.items('GET /v3/device-requests', { query: { limit: 1_000 } }))
        records.push(record);
      return records.every(({ state }) => final.includes(state));
    };
    await waitUntil('the end of all commands', haveEnded, { timeoutMs: 400_000 });
    return records;
  }
}
