/** Devices whose temperature is observed. */
import { thermometer } from '@lanyard/testing';
import type { Application } from './application.ts';
import type { BenchSystem } from './system.ts';
import { until } from './travels.ts';

const devices = 20;
export const reportedPath = '/3303/0/5700';

export interface Reporter {
  id: string;
  device: ReturnType<typeof thermometer>['device'];
}

/** Starts devices, and waits until they are registered and observed. */
export const startReporters = async (
  system: BenchSystem,
  { lanyard }: Application,
  prefix: string,
): Promise<Reporter[]> => {
  const all: Reporter[] = [];
  for (let n = 0; n < devices; n++) {
    const name = `${prefix}-${n}`;
    const { device } = thermometer({ name, server: system.coapUrl, ackTimeoutMs: 2_000 });
    await device.open();
    await device.register();
    const find = () => lanyard.call('GET /v3/devices', { query: { endpoint_name: name } });
    let [found] = (await find()).data;
    while (!found) [found] = (await find()).data;
    await lanyard.call('PUT /v2/subscriptions/{deviceId}/{object}/{instance}/{resource}', {
      path: { deviceId: found.id, object: 3303, instance: 0, resource: 5700 },
    });
    await until(() => device.isObserved(reportedPath), 'observation');
    all.push({ id: found.id, device });
  }
  return all;
};
