import { Device } from '../device/device.js';
import { Reporter } from './reporter.js';
import { type World } from '../device/world.js';

const arrivalTickMs = 50;

/** How many devices deregister at a time, and how long all of them may take. */
const partingAtOnce = 200;
const partingTimeoutMs = 30_000;

/** All devices: they register one after the other, report, restart occasionally, and deregister at the end. */
export class Fleet {
  readonly devices: Device[] = [];
  private readonly reporter: Reporter;
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly world: World,
    private readonly names: readonly string[],
  ) {
    this.reporter = new Reporter(world.watches, world.config.valuesPerSecond);
  }

  start(): void {
    const { registrationsPerSecond, restartsPerMinute } = this.world.config;
    const startedAt = performance.now();
    const arrivals = setInterval(() => {
      const due = Math.ceil(((performance.now() - startedAt) * registrationsPerSecond) / 1_000);
      while (this.devices.length < Math.min(due, this.names.length)) this.arrive();
      if (this.devices.length === this.names.length) clearInterval(arrivals);
    }, arrivalTickMs);
    this.timers.push(arrivals);
    if (restartsPerMinute > 0) this.timers.push(setInterval(() => this.restartOne(), 60_000 / restartsPerMinute));
    this.reporter.start();
  }

  /** Deregisters every registered device; registrations of those without an answer expire. */
  async stop(): Promise<void> {
    this.reporter.stop();
    for (const timer of this.timers) clearInterval(timer);
    const deadline = performance.now() + partingTimeoutMs;
    const waiting = this.devices.values();
    const part = async (): Promise<void> => {
      for (const device of waiting) await device.leave(performance.now() < deadline);
    };
    await Promise.all(Array.from({ length: partingAtOnce }, part));
  }

  private arrive(): void {
    const number = this.devices.length;
    const device = new Device(number, this.names[number] as string, this.world);
    this.devices.push(device);
    device.arrive();
  }

  private restartOne(): void {
    this.devices[Math.floor(this.world.random() * this.devices.length)]?.restart();
  }
}
