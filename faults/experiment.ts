/** One run of one row: faults are injected under load, everything is healed, and the history is judged. */
import { sleep } from '../tools/lanyard/project.ts';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CounterAudit } from './counter-audit.ts';
import { check, type Verdict } from './checker.ts';
import { Hiccups } from './hiccups.ts';
import { excuses, History, type Fault, type Kind } from './history.ts';
import { FaultSystem } from './fault-system.ts';
import { Random } from '../tools/testing/random.ts';
import type { Replica } from './replica.ts';
import type { Infrastructure, RedisServer } from './infrastructure.ts';

/**
 * `inject` runs under load; `after` checks details when everything has drained; `exclusive`: it breaks what rows share;
 * `kinds`, `devices`: channels and number of devices of each tenant; `perSecond`: events that are produced;
 * `seconds`: how long `repeat` injects faults; `drainMs`: how soon everything must arrive after the repair;
 * `withNames`: host names under `.example` resolve to the address that the row writes into the file `names`;
 * `drops`: the service may drop events if its counters say how many; `equip`: the row has its own infrastructure;
 * `cannotRun`: why this machine cannot run the row
 */
export interface Row {
  name: string;
  about: string;
  inject: (experiment: Experiment) => Promise<void>;
  after?: (experiment: Experiment) => Promise<void>;
  exclusive?: boolean;
  drops?: boolean;
  replicas?: number;
  tenants?: number;
  kinds?: readonly Kind[];
  devices?: number;
  perSecond?: number;
  seconds?: number;
  drainMs?: number;
  withNames?: boolean;
  equip?: (infrastructure: Infrastructure, folder: string) => Promise<Equipment>;
  cannotRun?: () => string | undefined;
}

/**
 * Replaces the infrastructure of the run, and is there for `inject`. `environment`: variables of the dispatchers;
 * `redisPorts`: every process of a Redis with several; `environment` then names these to the dispatchers, without a proxy
 */
export interface Equipment {
  infrastructure?: Infrastructure;
  redisPorts?: readonly number[];
  environment?: Record<string, string>;
  heal?: () => Promise<unknown>;
  stop?: () => Promise<unknown>;
}

/** `times`: how often a batch in flight may be sent again on each channel; `afterMs`, `forgets`: as in `Fault` */
interface Consequences {
  times?: number;
  afterMs?: number;
  forgets?: boolean;
}

/**
 * `drainMs`: how long events took to arrive after the repair; `deaths`: how often a replica ended by itself;
 * `history`: the file, if there are violations; `notRun`: why the row could not run; the outcome then proves nothing
 */
export type Outcome = Verdict & {
  row: string;
  seed: number;
  injections: number;
  hiccups: number;
  drainMs: number;
  seconds: number;
  deaths: number;
  history?: string;
  notRun?: string;
};

interface Options {
  row: Row;
  seed: number;
  folder: string;
  program: string;
  infrastructure: Infrastructure;
  seconds?: number;
  say: (text: string) => void;
}

const perSecond = 250;

/** A request that was in flight when its channel was deleted may still arrive. */
const endedGraceMs = 500;

const warmUpMaxMs = 60_000;
const drainMaxMs = 60_000;
const emptyWithinMs = 15_000;
const settleMs = 400;

let runs = 0;

/** Whether the condition is met in time. */
export const eventually = async (condition: () => boolean | Promise<boolean>, withinMs: number) => {
  for (const end = performance.now() + withinMs; performance.now() < end; await sleep(25))
    if (await condition()) return true;
  return condition();
};

export class Experiment {
  history = new History();
  /** Faults that were tried, and those of them that happened. */
  tried = 0;
  injections = 0;
  violations: string[] = [];
  drainMs = 0;
  endsAt = 0;
  equipment: Equipment = {};
  options: Options;
  row: Row;
  infrastructure: Infrastructure;
  random: Random;
  say: (text: string) => void;
  startedRedis?: RedisServer;
  system!: FaultSystem;
  counters!: CounterAudit;

  constructor(options: Options) {
    this.options = options;
    this.row = options.row;
    this.infrastructure = options.infrastructure;
    this.random = new Random(options.seed).fork(options.row.name);
    this.say = options.say;
  }

  async run(): Promise<Outcome> {
    const { row, options } = this;
    const startedAt = performance.now();
    const folder = join(options.folder, `${row.name}-${options.seed}-${++runs}`);
    this.equipment = (await row.equip?.(this.infrastructure, folder)) ?? {};
    this.infrastructure = this.equipment.infrastructure ?? this.infrastructure;
    try {
      if (!this.equipment.redisPorts) this.startedRedis = await this.infrastructure.startRedis(folder);
      return await this.runOn(folder, startedAt);
    } finally {
      await this.startedRedis?.stop();
      await this.equipment.stop?.();
    }
  }

  async runOn(folder: string, startedAt: number) {
    const { row, options } = this;
    this.system = await FaultSystem.create({
      ...{
        name: row.name,
        seed: options.seed,
        folder,
        program: options.program,
        infrastructure: this.infrastructure,
        redisPort: this.startedRedis?.port ?? 0,
      },
      ...{ history: this.history, random: this.random, replicas: row.replicas ?? 2, tenants: row.tenants ?? 2 },
      ...{ kinds: row.kinds ?? ['callback', 'websocket', 'pull'], devices: row.devices ?? 8 },
      environment: {
        ...(row.withNames && { PRIVATE_NAMES_FILE: join(folder, 'names') }),
        ...this.equipment.environment,
      },
    });
    this.counters = new CounterAudit(this.equipment.redisPorts ?? [this.redis.port], this.system.redisPrefix);
    const hiccups = new Hiccups(this.history);
    try {
      const outcome = await this.measure(hiccups);
      outcome.seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      if (outcome.violations.length > 0) {
        outcome.history = join(folder, 'history.jsonl');
        this.history.save(outcome.history);
      }
      return outcome;
    } finally {
      hiccups.stop();
      this.counters.close();
      await this.system.drop();
    }
  }

  async measure(hiccups: Hiccups) {
    const { row, options } = this;
    const { load, replicas } = this.system;
    load.start(row.perSecond ?? perSecond);
    await this.warmUp();
    this.endsAt = performance.now() + 1_000 * (options.seconds ?? row.seconds ?? 8);
    await row.inject(this);
    await this.equipment.heal?.();
    await Promise.all([this.infrastructure.heal(), this.startedRedis?.heal()]);
    await this.system.heal();
    await load.stop();
    await this.drain();
    await this.row.after?.(this);
    await this.auditEmpty();
    hiccups.readLogs(replicas);
    const verdict = await this.judge(endedGraceMs + hiccups.worstMs);
    verdict.violations.unshift(...this.violations);
    const deaths = replicas.reduce((sum, replica) => sum + replica.deaths, 0);
    if (this.tried > 0 && this.injections === 0) verdict.violations.push(`none of ${this.tried} faults happened`);
    const { injections, drainMs } = this;
    const counts = { injections, hiccups: hiccups.count, drainMs, deaths, seconds: 0 };
    const outcome: Outcome = { row: row.name, seed: options.seed, ...verdict, ...counts };
    return outcome;
  }

  /** Unexplained duplicates may be twice in Kafka already; this is checked only if there are any. */
  async judge(graceMs: number) {
    const verdict = check(this.history, { endedGraceMs: graceMs });
    if (verdict.unexplained === 0) return verdict;
    this.history.twiceInKafka = await this.system.repeatedIds();
    return check(this.history, { endedGraceMs: graceMs });
  }

  /** Waits until the system works: consumers have their partitions, and each channel has received something. */
  async warmUp() {
    const all = this.history.channels.size;
    const works = () => new Set(this.history.deliveries.map(({ channel }) => channel)).size === all;
    if (!(await eventually(works, warmUpMaxMs)))
      this.violation(`I6 not every channel got something within ${warmUpMaxMs} ms`);
  }

  get redis() {
    return this.startedRedis as RedisServer;
  }

  /** Reports a violation that the checker cannot detect. */
  violation(text: string) {
    this.violations.push(text);
  }

  /** Deliveries that will never arrive because the service reports that it dropped them. */
  get dropped() {
    return [...this.history.channels.values()].reduce(
      (sum, { dropped = 0, endedAtMs }) => sum + (endedAtMs === undefined ? dropped : 0),
      0,
    );
  }

  /** I6. Everything arrives within a limited time after everything was healed. */
  async drain() {
    const healedAt = performance.now();
    const maxMs = this.row.drainMs ?? drainMaxMs;
    const drained = await eventually(async () => {
      if (this.row.drops) await this.learnDrops();
      return this.history.missing() <= this.dropped;
    }, maxMs);
    this.drainMs = Math.round(performance.now() - healedAt);
    if (drained) return;
    const waiting = (await this.queueStates()).filter(({ n }) => n > 0);
    const where = waiting.map(
      ({ channel, kind, n, owner, ready }) => `${kind} ${channel}: ${n}, owner ${owner || '-'}, due ${ready || '-'}`,
    );
    this.violation(`I6 not drained within ${maxMs} ms; in queues: ${where.join('; ') || 'nothing'}`);
  }

  async learnDrops() {
    for (const { channel, dropped } of await this.queueStates()) {
      const known = this.history.channels.get(channel);
      if (known) known.dropped = dropped;
    }
  }

  async queueStates() {
    return this.counters.read();
  }

  /** I9, when everything has drained. */
  async auditEmpty() {
    let left: string[] = [];
    await eventually(async () => (left = await this.leftOver()).length === 0, emptyWithinMs);
    await sleep(settleMs);
    await this.audit();
    this.violations.push(...left);
  }

  /** Violations, unless every channel that has not ended has an empty queue, and no replica holds a callback. */
  async leftOver() {
    const states = await this.queueStates();
    const found = new Set(states.map(({ channel }) => channel));
    const missing = [...this.history.channels.values()].filter(
      ({ name, endedAtMs }) => endedAtMs === undefined && !found.has(name),
    );
    return [
      ...missing.map(({ name, kind }) => `I9 ${kind} ${name}: Redis has no queue of it`),
      ...states.flatMap(({ channel, kind, n, owner }) =>
        n !== 0 || (kind === 'callback' && owner !== '')
          ? [`I9 ${kind} ${channel}: still ${n} events, held by ${owner || 'no replica'}`]
          : [],
      ),
    ];
  }

  /** I9. The counters must be right at every moment, not only at the end. */
  async audit() {
    try {
      const { problems } = await this.counters.audit();
      for (const problem of problems) this.violation(problem);
    } catch {
      // Redis does not answer, as some rows intend.
    }
  }

  /** Injects one fault, which lasts as long as `work`; when `work` resolves with false, it did not happen. */
  async fault(name: string, { times = 0, afterMs, forgets = false }: Consequences, work: () => Promise<unknown>) {
    const fault: Fault = { name, fromMs: Date.now(), toMs: Infinity, excuse: excuses(times), forgets };
    if (afterMs !== undefined) fault.afterMs = afterMs;
    this.history.faults.push(fault);
    try {
      if ((await work()) !== false) this.injections++;
    } finally {
      fault.toMs = Date.now();
    }
    if (++this.tried % 3 === 0) await this.audit();
  }

  get isOver() {
    return performance.now() >= this.endsAt;
  }

  /** Whether an event arrives in time that is produced from now on. */
  async delivers(withinMs: number) {
    const fromMs = Date.now();
    const { deliveries, events } = this.history;
    const known = deliveries.length;
    const isNew = (uid: string) => (events.get(uid)?.invokedAtMs ?? 0) > fromMs;
    return eventually(() => deliveries.slice(known).some(({ uids }) => uids.some(isNew)), withinMs);
  }

  /** Injects faults until the time is up, with pauses, and at least once. */
  async repeat(leastMs: number, mostMs: number, work: (n: number) => Promise<unknown>) {
    for (let n = 0; n === 0 || !this.isOver; n++) {
      await this.pause(leastMs, mostMs);
      await work(n);
    }
  }

  async pause(leastMs: number, mostMs: number) {
    await sleep(this.random.int(leastMs, mostMs));
  }

  /** A random replica: one that is ready, otherwise one that runs, otherwise any. */
  victim(): Replica {
    const running = this.system.replicas.filter(({ isRunning, isPaused }) => isRunning && !isPaused);
    const ready = running.filter(({ isReady }) => isReady);
    return this.random.pick([ready, running, this.system.replicas].find(({ length }) => length > 0) ?? []);
  }

  channelsOf(kind: Kind) {
    return [...this.history.channels.values()].flatMap(({ name, kind: own }) => (own === kind ? [name] : []));
  }

  /**
   * Recognises a request for one of these commands on its way to Redis.
   * @param commands names of scripts, for example `append`
   */
  asks(...commands: string[]) {
    const folder = join(this.options.program, 'src/queue/commands');
    const read = (name: string) => readFileSync(join(folder, `${name}.lua`), 'utf8');
    const hashes = commands.map((name) =>
      createHash('sha1')
        .update(`${read('prelude')}\n${read(name)}`)
        .digest('hex'),
    );
    return (request: Buffer) => hashes.some((hash) => request.includes(hash));
  }
}
