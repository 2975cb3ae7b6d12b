import type { DeviceClient, DeviceOptions } from '@lanyard/testing';
import type { RunningProxy } from './running-proxy.js';
import type { TestSystem } from './test-system.js';

export const temperature = '/3303/0/5700';

/** A device behind a gateway. */
export interface Child {
  name: string;
  prefix: string;
  celsius: number;
  written: string[];
  executed: string[];
}

/** A gateway whose devices have a temperature, a text that can be written, and a reboot. */
export class TestLwm2mGateway {
  readonly device: DeviceClient;
  deviceId = '';
  readonly children = new Map<string, Child>();

  constructor(
    private readonly system: TestSystem,
    proxy: RunningProxy,
    name: string,
    options: Partial<DeviceOptions> = {},
  ) {
    const links = '</>;rt="oma.lwm2m";ct="0 110 11542",</3/0>,</3303/0>,</25>;ver="2.0"';
    this.device = system.thing(proxy, name, { links, ...options }).device;
    for (const path of this.device.resources.keys()) if (path !== temperature) this.device.resources.delete(path);
  }

  /** Instance `n` of object 25 describes it. */
  add(n: number, name: string, prefix = `p${n}`, objects = '</3/0>,</3303/0>,</3341/0>'): Child {
    const child: Child = { name, prefix, celsius: 20 + n, written: [], executed: [] };
    this.children.set(prefix, child);
    this.device.resources
      .set(`/25/${n}/0`, { read: () => name })
      .set(`/25/${n}/1`, { read: () => prefix })
      .set(`/25/${n}/3`, { read: () => objects })
      .set(`/${prefix}${temperature}`, { read: () => child.celsius })
      .set(`/${prefix}/3341/0/5527`, { write: (payload) => void child.written.push(payload.toString()) })
      .set(`/${prefix}/3/0/4`, { execute: (args) => void child.executed.push(args) });
    return child;
  }

  remove(n: number): void {
    for (const resource of [0, 1, 3]) this.device.resources.delete(`/25/${n}/${resource}`);
  }

  async register(): Promise<string> {
    this.deviceId = await this.system.register({ device: this.device, celsius: 0, text: '', reboots: 0 });
    return this.deviceId;
  }

  /** Reports object 25 as it is now. */
  async reportList(): Promise<void> {
    await this.device.changed('/25/0/0');
  }

  /** The id of a device behind it, once that has registered. */
  async idOf(name: string, after = 0): Promise<string> {
    const { value } = await this.system.fact(
      this.system.sessions,
      (v) => v.endpointName === name && v.change === 'registered' && v.epoch > after,
    );
    return value.deviceId;
  }

  report(child: Child, celsius: number): Promise<void> {
    child.celsius = celsius;
    return this.device.report(`/${child.prefix}${temperature}`, celsius);
  }
}
