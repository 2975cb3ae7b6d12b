import { Device } from '../device/device.js';
import { type Group } from '../device/simulation-context.js';
import { Reporter } from './reporter.js';

/** The devices of a group: they report, restart, and change their addresses. */
export class GroupFleet {
  readonly devices: Device[] = [];
  private readonly reporter: Reporter;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    readonly group: Group,
    /** Endpoint names, by number of the device. */
    readonly names: readonly string[],
  ) {
    this.reporter = new Reporter(group.watches, group.settings.valuesPerSecond);
  }

  start(): void {
    const { restartsPerMinute, rebind } = this.group.settings;
    this.reporter.start();
    if (restartsPerMinute > 0) this.every(60_000 / restartsPerMinute, () => this.randomDevice()?.restart());
    if (rebind.percent > 0) this.every(rebind.everySeconds * 1_000, () => this.rebindSome(rebind.percent));
  }

  stop(): void {
    this.reporter.stop();
    for (const timer of this.timers) clearInterval(timer);
  }

  /** Number of devices that the group has once it is complete. */
  get size(): number {
    return this.names.length;
  }

  /** Number of devices that have arrived so far. */
  get arrived(): number {
    return this.devices.length;
  }

  get registered(): number {
    return this.group.tally.registered;
  }

  get isComplete(): boolean {
    return this.devices.length === this.names.length;
  }

  /** Adds the next device of the group. */
  arrive(): void {
    const number = this.devices.length;
    const device = new Device(number, this.names[number] as string, this.group);
    this.devices.push(device);
    device.arrive();
  }

  /** Sets the rate of reports, in percent of the group's values per second. */
  setRatePercent(percent: number): void {
    this.reporter.perSecond = (this.group.settings.valuesPerSecond * percent) / 100;
  }

  restartSome(percent: number): void {
    for (const device of this.randomShare(percent)) device.restart();
  }

  rebindSome(percent: number): void {
    for (const device of this.randomShare(percent)) device.rebind();
  }

  private randomShare(percent: number): Device[] {
    return this.devices.filter(() => this.group.context.random() * 100 < percent);
  }

  private every(ms: number, run: () => void): void {
    this.timers.push(setInterval(run, ms));
  }

  private randomDevice(): Device | undefined {
    return this.devices[Math.floor(this.group.context.random() * this.devices.length)];
  }
}
