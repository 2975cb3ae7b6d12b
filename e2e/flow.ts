import { expect } from '@jest/globals';
import { type DeviceClient, eventually } from '@lanyard/testing';
import type { Application } from './application.ts';
import { registered, sensor } from './journeys.ts';

const valuesPerSecond = 200;
const unacknowledgedMax = 50;

/** Values of a resource that an account keeps by default. */
const historyMax = 1_000;

/** If the acknowledgement is lost with the device-proxy, the device reports the value again, which is another event. */
const eventsOfValueMax = 2;

/** Values between two checks that they still flow. */
const someValues = 200;

interface Reporter {
  device: DeviceClient;
  deviceId: string;
  sent: number;
  taken: number;
  acknowledged: Promise<void>[];
}

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);

/** Each device reports 0, 1, 2 … until stopped; a value that the service does not acknowledge holds its device up. */
export class Flow {
  private turn = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly app: Application,
    private readonly reporters: readonly Reporter[],
  ) {}

  /** Registers devices, and subscribes the application to their values. */
  static async of(app: Application, coapUrl: string, devices: number): Promise<Flow> {
    const reporters: Reporter[] = [];
    for (let n = 0; n < devices; n++) {
      const { device, deviceId } = await registered(app, 'flow', coapUrl);
      await app.call('PUT', `/v2/subscriptions/${deviceId}${sensor}`);
      await eventually(() => device.isObserved(sensor));
      reporters.push({ device, deviceId, sent: 0, taken: 0, acknowledged: [] });
    }
    return new Flow(app, reporters);
  }

  begin(): void {
    this.timer = setInterval(() => {
      const reporter = this.reporters[this.turn++ % this.reporters.length] as Reporter;
      if (reporter.sent - reporter.taken >= unacknowledgedMax) return;
      const report = reporter.device.report(sensor, reporter.sent++).then(() => void reporter.taken++);
      report.catch(() => undefined);
      reporter.acknowledged.push(report);
    }, 1000 / valuesPerSecond);
  }

  /** A flow of only one of these devices. */
  ofOne(): Flow {
    return new Flow(this.app, this.reporters.slice(0, 1));
  }

  /** Id of the first device. */
  get deviceId(): string {
    return this.reporters[0]?.deviceId ?? '';
  }

  get sent(): number {
    return sum(this.reporters.map((r) => r.sent));
  }

  /** Number of values that the service acknowledged. */
  get taken(): number {
    return sum(this.reporters.map((r) => r.taken));
  }

  /** Waits until values are sent, acknowledged and delivered. */
  async waitForValues(): Promise<void> {
    const [taken, received] = [this.taken, this.app.values(sensor).length];
    await eventually(() => this.taken >= taken + someValues);
    await eventually(() => this.app.values(sensor).length >= received + someValues);
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.reporters.flatMap((r) => r.acknowledged));
  }

  /**
   * Checks that each value arrived, that first arrivals were in the order of their device, and that no event arrived more often than
   * `timesMax`. The application's channel must show the ids of events.
   */
  async expectAllReceived(timesMax: number): Promise<void> {
    for (const { deviceId, sent } of this.reporters) {
      await eventually(() => this.app.values(sensor, deviceId).includes(String(sent - 1)));
      const items = this.app.items('notifications').filter(({ ep, path }) => ep === deviceId && path === sensor);
      const eventsOf = new Map<number, string[]>();
      for (const { payload, uid } of items) {
        const value = Number(Buffer.from(payload, 'base64').toString());
        if (Number.isInteger(value)) eventsOf.set(value, [...(eventsOf.get(value) ?? []), uid]);
      }
      const missing = Array.from({ length: sent }, (_, n) => n).filter((n) => !eventsOf.has(n));
      expect(missing).toEqual([]);
      for (const uids of eventsOf.values()) {
        expect(uids).not.toContain(undefined);
        expect(new Set(uids).size).toBeLessThanOrEqual(eventsOfValueMax);
        for (const uid of uids) expect(uids.filter((other) => other === uid).length).toBeLessThanOrEqual(timesMax);
      }
      const firsts = [...eventsOf.keys()];
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    }
  }

  /** Waits until the snapshot has the last value of each device. */
  async expectSnapshot(): Promise<void> {
    for (const { deviceId, sent } of this.reporters)
      await eventually(async () => {
        const { json } = await this.app.call('GET', `/v3/devices/${deviceId}/echo`);
        const newest = json.resources.find((r: { resource_path: string }) => r.resource_path === sensor).reported.value;
        expect(Buffer.from(newest, 'base64').toString()).toBe(String(sent - 1));
      });
  }

  /** Checks that the history has every value of each device. A value whose acknowledgement was lost may be there twice. */
  async expectHistory(): Promise<void> {
    for (const { deviceId, sent } of this.reporters)
      await eventually(async () => {
        const path = `/v3/devices/${deviceId}/history?path=${encodeURIComponent(sensor)}&points=${historyMax}`;
        const { json } = await this.app.call('GET', path);
        const values: number[] = json.values.map(({ decoded }: { decoded: number }) => decoded);
        const distinct = [...new Set(values.filter(Number.isInteger))].sort((a, b) => a - b);
        expect(distinct).toEqual(Array.from({ length: sent }, (_, n) => n).slice(-distinct.length));
        expect(values.length).toBeGreaterThanOrEqual(Math.min(sent, historyMax));
      });
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.reporters.map((r) => r.device.close()));
  }
}
