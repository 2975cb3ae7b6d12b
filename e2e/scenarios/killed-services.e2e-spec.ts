import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DeviceClient, thermometer } from '@lanyard/testing';
import { ApiClient } from '../../tools/drill/api-client.mjs';
import { SocketApplication } from '../../tools/drill/applications.mjs';
import { isAlive } from '../../tools/lanyard/processes.mjs';
import { Application } from '../application.js';
import { type RunningSystem, startSystem } from '../constellation.js';
import { fresh, sensor } from '../journeys.js';
import { eventually } from '../patience.js';

const devices = 20;
const valuesPerSecond = 200;
const unacknowledgedMax = 50;

interface Reporter {
  device: DeviceClient;
  deviceId: string;
  sent: number;
  taken: number;
  acknowledged: Promise<void>[];
}

/** Each device reports 0, 1, 2 … until told to stop; what the service does not acknowledge holds its device up. */
const flow = (reporters: Reporter[]): (() => void) => {
  let turn = 0;
  const timer = setInterval(() => {
    const reporter = reporters[turn++ % reporters.length] as Reporter;
    if (reporter.sent - reporter.taken >= unacknowledgedMax) return;
    const report = reporter.device.report(sensor, reporter.sent++).then(() => void reporter.taken++);
    report.catch(() => undefined);
    reporter.acknowledged.push(report);
  }, 1000 / valuesPerSecond);
  return () => clearInterval(timer);
};

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);

describe('kill -9 of each service while values flow', () => {
  let system: RunningSystem;
  let app: Application;
  const reporters: Reporter[] = [];
  let disconnect = (): void => undefined;

  beforeAll(async () => {
    system = await startSystem('killed');
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects();
    disconnect = () => app.closes();
    for (let n = 0; n < devices; n++) {
      const { device } = thermometer({ name: fresh('flow'), server: system.coapUrls[0] as string });
      await device.open();
      await device.register();
      const deviceId = await app.deviceId(device.name);
      await app.call('PUT', `/v2/subscriptions/${deviceId}${sensor}`);
      await eventually(() => device.isObserved(sensor));
      reporters.push({ device, deviceId, sent: 0, taken: 0, acknowledged: [] });
    }
  });

  afterAll(async () => {
    disconnect();
    await Promise.all(reporters.map((r) => r.device.close()));
    await system?.stop();
  });

  it('every value arrives once or twice, in order per device, and the snapshot holds the newest', async () => {
    const stop = flow(reporters);
    /** Values go out, are acknowledged and are delivered. */
    const goesOn = async (): Promise<void> => {
      const [taken, received] = [sum(reporters.map((r) => r.taken)), app.values(sensor).length];
      await eventually(() => sum(reporters.map((r) => r.taken)) >= taken + 200);
      await eventually(() => app.values(sensor).length >= received + 200);
    };
    await goesOn();
    for (const name of ['device-proxy-0', 'dispatcher-0', 'gateway-0', 'registry-0', 'snapshot-0', 'event-log-0']) {
      system.constellation.kill(name, 'SIGKILL');
      const sent = sum(reporters.map((r) => r.sent));
      await eventually(() => sum(reporters.map((r) => r.sent)) >= sent + 100);
      await system.constellation.restart(name);
      await goesOn();
    }
    stop();
    await Promise.all(reporters.flatMap((r) => r.acknowledged));

    for (const { deviceId, sent } of reporters) {
      const last = String(sent - 1);
      await eventually(() => app.values(sensor, deviceId).includes(last));
      const received = app.values(sensor, deviceId).map(Number).filter(Number.isInteger);
      const times = new Map<number, number>();
      for (const value of received) times.set(value, (times.get(value) ?? 0) + 1);
      const missing = Array.from({ length: sent }, (_, n) => n).filter((n) => !times.has(n));
      expect(missing).toEqual([]);
      expect(Math.max(...times.values())).toBeLessThanOrEqual(2);
      const firsts = [...new Set(received)];
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    }
    for (const { deviceId, sent } of reporters)
      await eventually(async () => {
        const { json } = await app.call('GET', `/v3/devices/${deviceId}/echo`);
        const newest = json.resources.find((r: { resource_path: string }) => r.resource_path === sensor).reported.value;
        expect(Buffer.from(newest, 'base64').toString()).toBe(String(sent - 1));
      });
  });

  it('SIGTERM of the gateway and of the dispatcher closes a WebSocket with 1012, and loses nothing', async () => {
    const { key } = await app.lanyard.call('POST /v3/api-keys', { body: { name: 'restarted' } });
    const listener = await new SocketApplication(new ApiClient([system.baseUrl], key)).start();
    const { deviceId, device } = reporters[0] as Reporter;
    const reporter: Reporter = { ...(reporters[0] as Reporter), device, acknowledged: [] };
    await new Application(system.baseUrl, key).call('PUT', `/v2/subscriptions/${deviceId}${sensor}`);
    const seen = (): number[] => [...(listener.inbox.values.get(deviceId)?.seen ?? [])];
    const stop = flow([reporter]);
    await eventually(() => seen().length > 0);
    for (const name of ['gateway-0', 'dispatcher-0']) {
      await eventually(() => listener.socket?.readyState === listener.socket?.OPEN);
      listener.closes = [];
      const { pid } = system.constellation.unit(name).unit;
      system.constellation.kill(name, 'SIGTERM');
      await eventually(() => expect(listener.closes).toEqual([1012]));
      await eventually(() => !isAlive(pid));
      await system.constellation.restart(name);
      const [taken, received] = [reporter.taken, seen().length];
      await eventually(() => reporter.taken >= taken + 10);
      await eventually(() => seen().length >= received + 10);
    }
    stop();
    await Promise.all(reporter.acknowledged);
    await eventually(() => seen().includes(reporter.sent - 1));
    const from = Math.min(...seen());
    expect(seen().toSorted((a, b) => a - b)).toEqual(Array.from({ length: reporter.sent - from }, (_, n) => from + n));
    listener.stop();
  });
});
