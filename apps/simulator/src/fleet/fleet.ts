import { type Device } from '../device/device.js';
import { type Phase } from '../settings/phase.js';
import { type GroupFleet } from './group-fleet.js';

const arrivalTickMs = 50;

/** How many devices deregister at the same time, besides those in contact, and how long all of them may take. */
const concurrentDeregistrations = 200;
const deregistrationTimeoutMs = 30_000;

/** All devices: they register one after another, and deregister at the end. */
export class Fleet {
  private arrivalTimer: NodeJS.Timeout | undefined;
  /** Groups whose devices have not all registered yet. */
  private incomplete: GroupFleet[] = [];
  private arrived = 0;

  constructor(
    private readonly groups: readonly GroupFleet[],
    private readonly registrationsPerSecond: number,
  ) {}

  /** Starts the arrival of all groups. */
  start(): void {
    this.admit(this.groups);
  }

  /** Starts the arrival of groups, and applies the phase to the devices that are there. */
  begin({ arrivals, valuesPercent, restartPercent, rebindPercent }: Phase): void {
    for (const group of this.groups) {
      group.setRatePercent(valuesPercent);
      if (restartPercent > 0) group.restartSome(restartPercent);
      if (rebindPercent > 0) group.rebindSome(rebindPercent);
    }
    this.admit(this.groups.filter(({ group }) => arrivals.includes(group.settings.name)));
  }

  /** Deregisters every registered device; the registrations of devices that get no answer expire. */
  async stop(): Promise<void> {
    clearInterval(this.arrivalTimer);
    for (const group of this.groups) group.stop();
    const deadline = performance.now() + deregistrationTimeoutMs;
    const devices = this.groups.flatMap((group) => group.devices);
    const waiting = devices.filter(({ isInContact }) => !isInContact).values();
    const leave = (device: Device): Promise<void> => device.leave(deadline - performance.now());
    // All at once: each waits for the end of its contact, and contacts without an answer must not delay other devices.
    const inContact = devices.filter(({ isInContact }) => isInContact).map(leave);
    const letWaitingLeave = async (): Promise<void> => {
      for (const device of waiting) await leave(device);
    };
    await Promise.all([...inContact, ...Array.from({ length: concurrentDeregistrations }, letWaitingLeave)]);
  }

  private admit(groups: readonly GroupFleet[]): void {
    const added = groups.filter((group) => !group.isComplete && !this.incomplete.includes(group));
    if (added.length === 0) return;
    for (const group of added) group.start();
    this.incomplete.push(...added);
    clearInterval(this.arrivalTimer);
    let [sinceMs, due] = [performance.now(), 0];
    this.arrivalTimer = setInterval(() => {
      due += ((performance.now() - sinceMs) * this.registrationsPerSecond) / 1_000;
      sinceMs = performance.now();
      for (; due > 0 && this.incomplete.length > 0; due--) this.arrive();
      if (this.incomplete.length === 0) clearInterval(this.arrivalTimer);
    }, arrivalTickMs);
  }

  /** Lets the next device arrive, of each group in turn. */
  private arrive(): void {
    this.incomplete[this.arrived++ % this.incomplete.length]?.arrive();
    this.incomplete = this.incomplete.filter(({ isComplete }) => !isComplete);
  }
}
