import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { Simulator } from '../../tools/testing/simulator.ts';
import { Application } from '../application.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { ConsoleBrowser } from './console-browser.ts';

/** Leaves a trace if it is ever interpreted as HTML. */
export const script = '<img src=x onerror="window.wasRun=1"><script>window.wasRun=1</script>';

/** A search for `sim-1` finds 11 of them, and one for `sim-2` finds 5. */
const devices = 24;

/** Each of the 72 observed resources changes every nine seconds. A higher rate would only use CPU time. */
const valuesPerSecond = 8;

/** A running system with simulated devices that report temperatures, and a browser. */
export class Console {
  private constructor(
    readonly system: RunningSystem,
    readonly app: Application,
    readonly browser: ConsoleBrowser,
    private readonly fleet: Simulator,
  ) {}

  static async start(): Promise<Console> {
    const system = await startSystem('console');
    const app = new Application(system.baseUrl, system.adminKey);
    const paths = ['/3303/0/5700', '/3303/0/5701', '/3303/1/5700'];
    await app.call('PUT', '/v2/subscriptions', [{ 'endpoint-type': 'simulated', 'resource-path': paths }]);
    await app.call('POST', '/v3/devices', { endpoint_name: 'injected', name: script, description: script });
    const server = system.coapUrls[0] as string;
    const fleet = await Simulator.start({ devices, sensors: 2, 'values-per-second': valuesPerSecond, server });
    // Dialogs count the devices only when they are opened.
    await eventually(async () => {
      const { json } = await app.call('GET', '/v3/devices?search=sim-&state__eq=registered&include=total_count');
      expect(json.total_count).toBe(devices);
    });
    return new Console(system, app, await ConsoleBrowser.open(system.baseUrl), fleet);
  }

  async signIn(): Promise<void> {
    await this.browser.signIn(this.system.adminKey);
    await this.browser.page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.fleet.stop();
    await this.system.stop();
  }
}
