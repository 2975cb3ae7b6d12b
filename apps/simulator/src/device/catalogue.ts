import { type ResourceType, type Scalar } from '@lanyard/lwm2m';
import { type Profile } from '../settings/group.js';

/** The device that the resources belong to. */
export interface Thing {
  readonly number: number;
  readonly name: string;
  /** A number from 0 up to 1. */
  chance(): number;
  /** Milliseconds since the epoch. */
  nowMs(): number;
}

export interface Resource {
  path: string;
  type: ResourceType;
  /** Its value before anything is written. */
  read?: (device: Thing) => Scalar;
  writable?: boolean;
  executable?: boolean;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const minuteMs = 60_000;

/** The temperature of each profile, above the mean of the device. */
const developments: Record<Profile, (device: Thing) => number> = {
  noise: (device) => device.chance() * 2,
  // A period of ten minutes, at another point for each device.
  wave: ({ number, nowMs }) => 5 * Math.sin((nowMs() / (10 * minuteMs)) * 2 * Math.PI + number),
  steps: ({ number, nowMs }) => 5 * ((Math.floor(nowMs() / minuteMs) + number) % 3),
  constant: () => 0,
};

const temperature =
  (profile: Profile) =>
  (device: Thing): number =>
    rounded(20 + (device.number % 10) + developments[profile](device));

const fixed = (path: string, type: ResourceType, value: Scalar): Resource => ({ path, type, read: () => value });

/** The objects of every simulated device: device (3), temperature sensors (3303), a text display (3341). */
export class Catalogue {
  private readonly resources = new Map<string, Resource>();
  private readonly byPrefix = new Map<string, Resource[]>();
  /** The link list of a registration: instances. */
  readonly links: Buffer;

  constructor({ sensors, profile }: { sensors: number; profile: Profile }) {
    this.add(fixed('/3/0/0', 'string', 'Lanyard'));
    this.add(fixed('/3/0/1', 'string', 'Simulated device'));
    this.add({ path: '/3/0/2', type: 'string', read: ({ name }) => name });
    this.add({ path: '/3/0/4', type: 'none', executable: true });
    this.add(fixed('/3/0/9', 'integer', 100));
    this.add(fixed('/3/0/16', 'string', 'U'));
    for (let n = 0; n < sensors; n++) {
      this.add({ path: `/3303/${n}/5700`, type: 'float', read: temperature(profile) });
      this.add(fixed(`/3303/${n}/5701`, 'string', 'Cel'));
      this.add({ path: `/3303/${n}/5605`, type: 'none', executable: true });
    }
    this.add({ path: '/3341/0/5527', type: 'string', read: () => '', writable: true });
    const instances = [...this.byPrefix.keys()].filter((prefix) => prefix.split('/').length === 3);
    this.links = Buffer.from(['</>;rt="oma.lwm2m";ct="0 42 110"', ...instances.map((path) => `<${path}>`)].join(','));
  }

  get(path: string): Resource | undefined {
    return this.resources.get(path);
  }

  /** Resources of an object or an instance, or the resource itself. */
  below(path: string): readonly Resource[] {
    const resource = this.resources.get(path);
    return resource ? [resource] : (this.byPrefix.get(path) ?? []);
  }

  private add(resource: Resource): void {
    this.resources.set(resource.path, resource);
    const [, object, instance] = resource.path.split('/');
    for (const prefix of [`/${object}`, `/${object}/${instance}`]) {
      const list = this.byPrefix.get(prefix);
      if (list) list.push(resource);
      else this.byPrefix.set(prefix, [resource]);
    }
  }
}
