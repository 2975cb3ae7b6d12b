/** Load, disturbances and measurements of a soak, and the judgement at its end. */
import { Lanyard } from '@lanyard/client';
import { acknowledged, sensorCounts } from '../../tools/drill/verdict.ts';
import { waitUntil } from '../../tools/lanyard/probes.ts';
import { say, sleep } from '../../tools/lanyard/project.ts';
import type { TestSystem } from '../../tools/testing/test-system.ts';
import { round } from '../statistics.ts';
import type { Arrivals } from './arrivals.ts';
import { Channels, kindOf } from './channels.ts';
import { Commands } from './commands.ts';
import { bindingOf, Devices } from './groups.ts';
import { introduce } from './introduce.ts';
import type { Load } from './options.ts';
import { Processes } from './processes.ts';
import { meanOf, slopePerHour, type Sample } from './samples.ts';

const sampleMs = 10_000;
/** How often the arrival of the devices is checked and reported. */
const arrivalMs = 10_000;
/** A sleeping device whose request was lost is observed only after its next update, perhaps in an hour. */
const observedMin = 0.99;
/** The most devices to which commands are sent. */
const commandedMax = 1_000;
/** Registrations per second that even a busy machine manages. */
const arrivalsMin = 50;
const settledMs = 600_000;

/** Numbers of a device, and the channel on which they arrive. */
interface ForChannel {
  name: string;
  channel: number;
  arrivals: Arrivals;
  id: string;
  numbers: number[];
}

/** `soak-7-12` -> 7 */
const channelOf = (name: string) => Number(name.split('-')[1]);

const total = (all: readonly ForChannel[]) => all.reduce((sum, { numbers }) => sum + numbers.length, 0);

const missing = (all: readonly ForChannel[]) =>
  all.flatMap(({ name, id, numbers, arrivals }) => arrivals.lost(id, numbers).map((n) => `${name} ${n}`));

export class Soak {
  samples: Sample[] = [];
  private readonly devices = new Devices();
  private readonly channels = new Channels();
  private commands!: Commands;
  private readonly system: TestSystem;
  private readonly load: Load;
  private readonly folder: string;
  private readonly administrator: Lanyard;
  private ids: ReadonlyMap<string, string> = new Map();
  /** By name of the device, the last value that may have been sent before there was a channel. */
  private readonly before = new Map<string, number>();
  private registeredSeconds = 0;
  private restarts = 0;
  private readonly ended: string[] = [];
  private readonly processes: Processes;

  constructor(system: TestSystem, load: Load, folder: string) {
    this.system = system;
    this.load = load;
    this.folder = folder;
    this.processes = new Processes(system);
    this.administrator = this.clientOf(system.adminKey);
  }

  private clientOf(key: string) {
    return new Lanyard({ baseUrl: this.system.baseUrl, key, retries: 10 });
  }

  /** Creates devices and keys with rules, then starts the devices, then channels and commands. */
  async begin() {
    const { administrator: lanyard, devices, folder, load, system } = this;
    const all = load.channels * load.devices;
    say(`${all} devices`);
    const { ids, groups } = await introduce(lanyard, folder, load);
    this.ids = ids;
    await this.channels.prepare(lanyard, system.baseUrl, groups);
    const startedAt = Date.now();
    await devices.start(system, folder, load);
    const patience = { timeoutMs: 120_000 + (all / arrivalsMin) * 1_000, intervalMs: arrivalMs };
    const areObserved = async () => {
      const { registered, observations } = await devices.state();
      say(`${registered} registered, ${observations} observed`);
      return registered >= all && observations >= observedMin * all;
    };
    await waitUntil('observations', areObserved, patience);
    this.registeredSeconds = (Date.now() - startedAt) / 1_000;
    say(`registered and observed after ${round(this.registeredSeconds)} s`);
    await this.channels.register();
    for (const [name, { next }] of sensorCounts(await devices.values())) this.before.set(name, next - 1);
    const { key } = await lanyard.call('POST /v3/api-keys', { body: { name: 'soak commands' } });
    const awake = [...this.ids].filter(([name]) => bindingOf(channelOf(name)) === 'udp').map(([, id]) => id);
    this.commands = new Commands(this.clientOf(key), awake.slice(0, commandedMax));
    await this.commands.start(load.commandsPerSecond);
  }

  /** Runs for the requested time. */
  async last() {
    const { minutes, restartMinutes } = this.load;
    const startedAt = performance.now();
    const passed = () => (performance.now() - startedAt) / 60_000;
    let restarting = Promise.resolve();
    let values = (await this.devices.state()).values;
    let atMs = performance.now();
    let arrived = this.arrived;
    while (passed() < minutes) {
      await sleep(sampleMs);
      const now = await this.devices.state().then((state) => state.values);
      const seconds = (performance.now() - atMs) / 1_000;
      const sample = this.sample(passed());
      sample['rate sent'] = (now - values) / seconds;
      sample['rate arrived'] = (this.arrived - arrived) / seconds;
      [values, atMs, arrived] = [now, performance.now(), this.arrived];
      this.samples.push(sample);
      this.tell(sample);
      if (passed() > (this.restarts + 1) * restartMinutes && passed() < minutes - 1)
        restarting = this.restart().catch((error: unknown) => void this.ended.push(String(error)));
    }
    await restarting;
  }

  private get arrived() {
    return this.channels.arrivals.reduce((sum, { values }) => sum + values, 0);
  }

  private sample(minutes: number): Sample {
    const { channels, commands } = this;
    const [value, answer] = [channels.takeLatencies(), commands.takeLatencies()];
    return {
      minutes,
      ...this.processes.take(),
      'value p50': value.p50,
      'value p99': value.p99,
      'command p50': answer.p50,
      'command p99': answer.p99,
    };
  }

  private tell(sample: Sample) {
    if (this.samples.length % 6 !== 0) return;
    const figures = ['rate sent', 'rate arrived', 'value p99', 'command p99'];
    const texts = figures.map((name) => `${name} ${round(sample[name] ?? NaN)}`);
    say(`${sample.minutes.toFixed(1)} min: ${texts.join(', ')}, ${this.commands.waiting.size} commands wait`);
  }

  /** Restarts the next replica: stops it gracefully, or kills it. */
  private async restart() {
    const { replicaNames } = this.system;
    const name = replicaNames[this.restarts % replicaNames.length] ?? '';
    const signal = this.restarts++ % 2 === 0 ? 'SIGTERM' : 'SIGKILL';
    say(`${signal} of ${name}`);
    await this.system.restart(name, signal);
    const dead = await this.system.revive();
    this.ended.push(...dead);
  }

  /** The numbers of each device since there are channels, if the channel answers. */
  private toAnswering(numbers: ReadonlyMap<string, readonly number[]>): ForChannel[] {
    return [...numbers].flatMap(([name, all]) => {
      const channel = channelOf(name);
      const arrivals = this.channels.arrivals[channel];
      if (!arrivals || kindOf(channel) === 'dead') return [];
      const since = all.filter((n) => n > (this.before.get(name) ?? 0));
      return [{ name, channel, arrivals, id: this.ids.get(name) ?? '', numbers: since }];
    });
  }

  /** Waits for everything that must arrive. Nothing must arrive on dead channels. */
  async end() {
    await this.commands.end();
    const sent = await this.devices.values();
    const owed = this.toAnswering(acknowledged(sent));
    const unacknowledged = new Map(sensorCounts(sent).map(([name, counts]) => [name, counts.unacknowledged]));
    const overTls = this.toAnswering(unacknowledged).filter(({ channel }) => bindingOf(channel) === 'tls');
    const lost = () => missing(owed);
    say('waiting for what is owed');
    const isComplete = async () => lost().length + this.commands.waiting.size === 0;
    await waitUntil('values and results', isComplete, { timeoutMs: settledMs }).catch(() => undefined);
    const overtaken = owed.flatMap(({ name, id, numbers, arrivals }) =>
      arrivals.overtaken(id, numbers).map((n) => `${name} ${n}`),
    );
    const { commands, samples } = this;
    const figures: Record<string, number> = {
      devices: this.ids.size,
      'seconds until all were observed': round(this.registeredSeconds),
      'values acknowledged, of channels that answer': total(owed),
      'values lost': lost().length,
      'values over TLS, never acknowledged': total(overTls),
      'values over TLS that did not come': missing(overTls).length,
      'values overtaken': overtaken.length,
      'values that came again': this.channels.arrivals.reduce((sum, { repeated }) => sum + repeated, 0),
      'commands accepted': commands.accepted,
      'commands refused': commands.refused,
      'commands that failed': commands.failed,
      'commands without a result': commands.waiting.size,
      'replicas restarted': this.restarts,
    };
    for (const name of Object.keys(samples[0] ?? {}).filter((key) => key.startsWith('memory ')))
      figures[`${name}, MB/h`] = round(slopePerHour(samples, name));
    for (const name of Object.keys(samples[0] ?? {}).filter((key) => key.startsWith('CPU ')))
      figures[`${name}, % of a core`] = round(meanOf(samples, name));
    for (const name of ['value p99', 'command p99']) figures[`${name}, ms/h`] = round(slopePerHour(samples, name));
    const list = (what: string, all: string[]) =>
      all.length > 0 ? [`${all.length} ${what}: ${all.slice(0, 5).join(', ')}`] : [];
    return {
      figures,
      violations: [
        ...list('values lost', lost()),
        ...list('values overtaken', overtaken),
        ...list('commands without a result', [...commands.waiting.keys()]),
        ...list('services ended by themselves', this.ended),
      ],
    };
  }

  async stop() {
    this.commands?.close();
    await this.devices.stop();
    await this.channels.stop();
  }
}
