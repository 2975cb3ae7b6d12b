/** Values that device-proxies acknowledge to devices that always have the next one ready. */
import { sensorClient, sensorPath } from '../../tools/drill/applications.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import { Reporters } from '../devices/proxy.ts';
import type { Scaled } from './scaled.ts';

/** Each device has one message in flight: more than the replicas can answer at a time. */
const devices = 400;

const timeoutMs = 300_000;

export class DeviceProxies {
  scaled: Scaled;

  constructor(scaled: Scaled) {
    this.scaled = scaled;
  }

  async start() {
    const { administrator, installation } = this.scaled;
    await sensorClient(installation.baseUrl, administrator, 'scaling');
    return this;
  }

  /** Uses a new fleet each time, because devices stay where they are connected. */
  async measure(_replicas: number, seconds: number) {
    const [server = ''] = this.scaled.installation.coapUrls;
    const fleet = await Reporters.report(server, devices, [sensorPath]);
    try {
      await fleet.until(({ observations }) => observations === devices, 'observations', timeoutMs);
      await sleep(5_000);
      const before = await fleet.state();
      await sleep(seconds * 1_000);
      const after = await fleet.state();
      return ((after.values - before.values) / (after.atMs - before.atMs)) * 1_000;
    } finally {
      await fleet.stop();
    }
  }
}
