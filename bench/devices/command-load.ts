/** Reads, writes and executions, one device after the other, and what became of each. */
import { type Simulator } from '../../tools/testing/simulator.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import type { Application } from '../application.ts';

const perSecond = 30;
const kinds = ['execute', 'read', 'write'] as const;
const final = ['succeeded', 'failed', 'expired'];

interface Entry {
  async_id: string;
  state: string;
  status: number;
  error: string | null;
  note: string | null;
  attempts: number;
}

const b64 = (text: string) => Buffer.from(text).toString('base64');

export class CommandLoad {
  app: Application;
  ids: string[];
  number = 0;
  /** Async-ids that were answered with 202. */
  accepted: string[] = [];
  /** The argument of each execution, by async-id. */
  executions = new Map<string, string>();
  /** Statuses that the channel brought, by async-id. */
  told = new Map<string, Set<number>>();
  calls: Promise<void>[] = [];
  timer: NodeJS.Timeout;

  constructor(app: Application, ids: string[]) {
    this.app = app;
    this.ids = ids;
    app.onMessage = ({ text }) => {
      for (const { id, status } of JSON.parse(text)['async-responses'] ?? [])
        this.told.set(id, (this.told.get(id) ?? new Set()).add(status));
    };
    this.timer = setInterval(() => this.calls.push(this.send()), 1_000 / perSecond);
  }

  /** When the directory knows all devices. */
  static async start(app: Application, devices: number) {
    for (const deadline = performance.now() + 300_000; ;) {
      const all = await list(app, '/v3/devices');
      if (all.length === devices)
        return new CommandLoad(
          app,
          all.map(({ id }) => id),
        );
      if (performance.now() > deadline) throw new Error(`the directory knows ${all.length} of ${devices} devices`);
      await sleep(500);
    }
  }

  async send() {
    const number = this.number++;
    const asyncId = `c-${number}`;
    const argument = `0='${number}'`;
    const kind = kinds[number % kinds.length] as (typeof kinds)[number];
    const bodies = {
      execute: { method: 'POST', uri: '/3/0/4', 'content-type': 'text/plain', 'payload-b64': b64(argument) },
      read: { method: 'GET', uri: '/3/0/2' },
      write: { method: 'PUT', uri: '/3341/0/5527', 'content-type': 'text/plain', 'payload-b64': b64(asyncId) },
    };
    if (kind === 'execute') this.executions.set(asyncId, argument);
    const path = `/v2/device-requests/${this.ids[number % this.ids.length]}`;
    try {
      await this.app.call('POST', `${path}?async-id=${asyncId}&retry=3&expiry-seconds=300`, bodies[kind]);
      this.accepted.push(asyncId);
    } catch {
      // A replica that dies in the middle gives an error or nothing: not accepted, though it may have been stored.
    }
  }

  /** Waits for the end of all, and judges. Throws when a promise was broken. */
  async finish(fleet: Simulator) {
    clearInterval(this.timer);
    await Promise.all(this.calls);
    const entries = await this.ended();
    const byId = new Map(entries.map((entry) => [entry.async_id, entry]));
    await this.allTold();
    const executed = await fleet.executionsOf('/3/0/4');
    const ran = [...this.executions].flatMap(([asyncId, argument]) => {
      const entry = byId.get(asyncId);
      return entry ? [{ ...entry, times: executed.get(argument) ?? 0 }] : [];
    });
    const contradicts = [...this.told].filter(
      ([asyncId, statuses]) => statuses.size > 1 || !statuses.has(byId.get(asyncId)?.status ?? -1),
    );
    const count = (which: (entry: Entry) => boolean) => entries.filter(which).length;
    const figures = {
      commands_sent: this.number,
      commands_accepted: this.accepted.length,
      commands_succeeded: count(({ state }) => state === 'succeeded'),
      commands_failed: count(({ state }) => state === 'failed'),
      commands_in_doubt: count(({ error }) => error === 'TIMEOUT'),
      commands_expired: count(({ state }) => state === 'expired'),
      attempts_repeated: count(({ attempts }) => attempts > 1),
      // All of these must be nothing.
      accepted_without_a_record: this.accepted.filter((asyncId) => !byId.has(asyncId)).length,
      answers_missing: this.accepted.filter((asyncId) => !this.told.has(asyncId)).length,
      answers_contradicting: contradicts.length,
      ran_twice_unsaid: ran.filter(({ times, error }) => times > 1 && error !== 'TIMEOUT').length,
      succeeded_without_running: ran.filter(({ times, state }) => state === 'succeeded' && times !== 1).length,
      ran_and_denied: ran.filter(({ times, state, error }) => times > 0 && state !== 'succeeded' && error !== 'TIMEOUT')
        .length,
    };
    const broken = Object.entries(figures)
      .slice(-6)
      .filter(([, value]) => value > 0);
    if (broken.length > 0) throw new Error(`broken: ${JSON.stringify(figures)}`);
    return figures;
  }

  async ended(): Promise<Entry[]> {
    let problem = '';
    for (const deadline = performance.now() + 400_000; performance.now() < deadline;) {
      // A service that does not keep up says 503, and is asked again; what else it says is the end of the run.
      const entries = await list(this.app, '/v3/device-requests').catch((error) => {
        if (!/ 503 /.test(String(error))) throw error;
        problem = String(error);
      });
      const open = ((entries ?? []) as Entry[]).filter(({ state }) => !final.includes(state));
      if (entries && open.length === 0) return entries;
      if (entries) problem = JSON.stringify(open.slice(0, 5));
      await sleep(1_000);
    }
    throw new Error(`no end: ${problem}`);
  }

  async allTold() {
    for (const deadline = performance.now() + 120_000; performance.now() < deadline;) {
      if (this.accepted.every((asyncId) => this.told.has(asyncId))) return;
      await sleep(500);
    }
  }
}

/** Everything, page by page. */
const list = async (app: Application, path: string) => {
  const all = [];
  for (let after = ''; ;) {
    const page = await app.call('GET', `${path}?limit=1000${after}`);
    all.push(...page.data);
    if (!page.has_more) return all;
    after = `&after=${page.data.at(-1).id}`;
  }
};
