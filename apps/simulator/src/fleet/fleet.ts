import { type GroupFleet } from './group-fleet.js';

const arrivalTickMs = 50;

/** How many devices deregister at a time, and how long all of them may take. */
const partingAtOnce = 200;
const partingTimeoutMs = 30_000;

/** All devices: they register one after the other, and deregister at the end. */
export class Fleet {
  private arrivals: NodeJS.Timeout | undefined;

  constructor(
    private readonly groups: readonly GroupFleet[],
    private readonly registrationsPerSecond: number,
  ) {}

  start(): void {
    const startedAt = performance.now();
    let arrived = 0;
    for (const group of this.groups) group.start();
    this.arrivals = setInterval(() => {
      const due = Math.ceil(((performance.now() - startedAt) * this.registrationsPerSecond) / 1_000);
      for (; arrived < due; arrived++) this.arrive(arrived);
      if (this.groups.every(({ isComplete }) => isComplete)) clearInterval(this.arrivals);
    }, arrivalTickMs);
  }

  /** Deregisters every registered device; registrations of those without an answer expire. */
  async stop(): Promise<void> {
    clearInterval(this.arrivals);
    for (const group of this.groups) group.stop();
    const deadline = performance.now() + partingTimeoutMs;
    const waiting = this.groups.flatMap(({ devices }) => devices).values();
    const part = async (): Promise<void> => {
      for (const device of waiting) await device.leave(performance.now() < deadline);
    };
    await Promise.all(Array.from({ length: partingAtOnce }, part));
  }

  /** The groups come side by side. */
  private arrive(turn: number): void {
    const coming = this.groups.filter(({ isComplete }) => !isComplete);
    coming[turn % Math.max(1, coming.length)]?.arrive();
  }
}
