import { type Timer } from '@lanyard/coap';
import { backOffMs } from './back-off.js';
import { type Group } from './simulation-context.js';

/** A device that contacts its server again and again. */
export interface Contacting {
  readonly group: Group;
  /** False while the device has no power, and after it has left. */
  readonly isPresent: boolean;
  /** @returns Milliseconds until the next contact. */
  contact(): Promise<number>;
  /** Called after `failures` failed contacts in a row. @returns The shortest pause in milliseconds. */
  contactFailed(error: unknown, failures: number): number;
}

/** Decides when a device contacts its server: at intervals, when there is a reason, and after a failure with back-off. */
export class ContactLoop {
  private next: Timer | undefined;
  private failures = 0;
  private talking = false;
  private lastContact = Promise.resolve();

  constructor(private readonly device: Contacting) {}

  get isTalking(): boolean {
    return this.talking;
  }

  /** Resolves when the contact that takes place has ended; at once if there is none. */
  get ended(): Promise<void> {
    return this.lastContact;
  }

  now(): void {
    if (this.talking || !this.device.isPresent) return;
    this.talking = true;
    this.stop();
    this.lastContact = this.run();
  }

  in(delayMs: number): void {
    this.stop();
    if (this.device.isPresent) this.next = this.device.group.context.timers.schedule(delayMs, () => this.now());
  }

  /** Schedules the next contact after the back-off for the failures so far. */
  afterPause(leastMs = 0): void {
    const { settings, context } = this.device.group;
    this.in(Math.max(leastMs, backOffMs(this.failures, settings.backOff, context.random)));
  }

  stop(): void {
    this.next?.cancel();
  }

  private async run(): Promise<void> {
    try {
      const nextMs = await this.device.contact();
      this.failures = 0;
      this.in(nextMs);
    } catch (error) {
      const leastMs = this.device.contactFailed(error, this.failures + 1);
      this.afterPause(leastMs);
      this.failures += 1;
    } finally {
      this.talking = false;
    }
  }
}
