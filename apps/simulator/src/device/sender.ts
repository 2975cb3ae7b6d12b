import { Code, type Timer } from '@lanyard/coap';
import { contentFormat, encodeValues, type ResourceValue } from '@lanyard/lwm2m';
import { type Reporting } from './reports.js';
import { accepted, sendRequest } from './registration.js';

/** The most values that a device keeps while the server refuses them or does not answer. */
const unsentMax = 1_000;

/** Sends measured values with their times, without an observation (LwM2M 1.1 core §6.4.5). */
export class Sender {
  /** Values to be sent, without those that are in flight. */
  private unsent: ResourceValue[] = [];
  private timer: Timer | undefined;
  private busy = false;
  /** An interval ended while the device slept or had no connection. */
  private overdue = false;
  /** The last Send was refused or not answered. */
  private refused = false;

  constructor(private readonly device: Reporting) {}

  /** Whether a Send waits for its answer. */
  get isSending(): boolean {
    return this.busy;
  }

  /** Measures the values of an interval at even distances, and sends them at its end. */
  start(): void {
    const { send, version } = this.device.group.settings;
    if (send.values === 0 || version === '1.0' || this.timer) return;
    this.measureIn((send.everySeconds * 1_000) / send.values, 1);
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** Called when the device is awake: sends what it could not send while it slept. */
  wake(): void {
    if (this.overdue) void this.send();
  }

  private measureIn(delayMs: number, number: number): void {
    const { group, store } = this.device;
    this.timer = group.context.timers.schedule(delayMs, () => {
      const timeMs = this.device.nowMs();
      const measured = [...store.below('/')].filter((resource) => resource.measured).map(({ path }) => path);
      this.unsent.push(...store.values(measured).map((value) => ({ ...value, timeMs })));
      this.dropOldest();
      if (number % group.settings.send.values === 0) void this.send();
      this.measureIn(delayMs, number + 1);
    });
  }

  private dropOldest(): void {
    const excess = this.unsent.length - unsentMax;
    if (excess <= 0) return;
    this.unsent.splice(0, excess);
    for (let n = 0; n < excess; n++) this.device.group.tally.count('value-dropped');
  }

  /** Sends everything that was not sent yet. Values that the server does not accept are kept for the next time. */
  private async send(): Promise<void> {
    const { group, transport } = this.device;
    const { tally, settings } = group;
    if (this.busy) return;
    this.overdue = !transport.isOpen;
    if (this.overdue) return;
    this.busy = true;
    const sent = this.unsent;
    this.unsent = [];
    const sentAt = performance.now();
    try {
      const payload = encodeValues(contentFormat.senmlCbor, '/', sent);
      accepted('send', await transport.request(sendRequest(settings, payload, contentFormat.senmlCbor)), Code.Changed);
      tally.count('send-accepted');
      this.recordRefused(false);
      tally.recordLatency('send', performance.now() - sentAt);
    } catch (error) {
      this.unsent.unshift(...sent);
      this.dropOldest();
      tally.count('send-refused');
      this.recordRefused(true);
      if (error instanceof Error) tally.recordTrouble(error.message);
    } finally {
      this.busy = false;
    }
  }

  private recordRefused(refused: boolean): void {
    if (refused !== this.refused) this.device.group.tally.refusing += refused ? 1 : -1;
    this.refused = refused;
  }
}
