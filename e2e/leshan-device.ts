import { JavaDevice } from './java-device.js';

/**
 * A thermometer on Eclipse Leshan's client library. It says `registered rd/…`, `refused FORBIDDEN(403)`,
 * `written 5750 …`, …
 */
export class LeshanDevice extends JavaDevice {
  static async start(server: string, name: string, lifetimeSeconds = 60): Promise<LeshanDevice> {
    return new LeshanDevice(await this.run('leshan', 'LeshanDevice', [server, name, String(lifetimeSeconds)]));
  }
}
