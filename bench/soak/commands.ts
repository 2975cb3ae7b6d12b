/** Reads devices that are awake, at a constant rate: each accepted read must have exactly one result. */
import type { Channel, Lanyard } from '@lanyard/client';
import { sensorPath } from '../../tools/drill/applications.ts';
import { percentile } from '../statistics.ts';

/** Prevents an overload of a machine that cannot keep up. */
const inFlightMax = 500;

export class Commands {
  /** When each accepted command without a result was sent, by async-id. */
  waiting = new Map<string, number>();
  accepted = 0;
  refused = 0;
  /** Results with which the device was not read. */
  failed = 0;
  private took: number[] = [];
  private number = 0;
  private readonly inFlight = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private channel: Channel | undefined;

  private readonly lanyard: Lanyard;
  private readonly devices: readonly string[];

  constructor(lanyard: Lanyard, devices: readonly string[]) {
    this.lanyard = lanyard;
    this.devices = devices;
  }

  async start(perSecond: number) {
    this.channel = await this.lanyard.listen({ reconnectMaxMs: 1_000 });
    void this.listen(this.channel);
    const startedAt = performance.now();
    let sent = 0;
    this.timer = setInterval(() => {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond) - sent;
      sent += due;
      for (let n = 0; n < due && this.inFlight.size < inFlightMax; n++) this.begin();
    }, 1_000 / perSecond);
  }

  takeLatencies() {
    const { took } = this;
    this.took = [];
    return { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
  }

  /** Stops sending. Results still arrive. */
  async end() {
    clearInterval(this.timer);
    await Promise.all(this.inFlight);
  }

  close() {
    this.channel?.close();
  }

  private begin() {
    const call = this.send().finally(() => this.inFlight.delete(call));
    this.inFlight.add(call);
  }

  private async send() {
    const asyncId = `soak-${this.number++}`;
    const device = this.devices[this.number % this.devices.length] ?? '';
    this.waiting.set(asyncId, performance.now());
    try {
      const options = { asyncId, retry: 3, expirySeconds: 300 };
      await this.lanyard.sendCommand(device, { method: 'GET', uri: sensorPath }, options);
      this.accepted++;
    } catch {
      // The command may have been stored all the same: then its result arrives, but is not waited for.
      this.refused++;
      this.waiting.delete(asyncId);
    }
  }

  private async listen(channel: Channel) {
    for await (const event of channel) {
      if (event.category !== 'async-responses') continue;
      const sentAt = this.waiting.get(event.asyncId);
      if (sentAt === undefined) continue;
      this.waiting.delete(event.asyncId);
      this.took.push(performance.now() - sentAt);
      if (event.status !== 200) this.failed++;
    }
  }
}
