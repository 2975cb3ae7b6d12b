import { contentFormat, type ResourceType, type Scalar } from '@lanyard/lwm2m';
import { type GroupSettings, type Version } from '../settings/group.js';
import { temperatureOf } from './profiles.js';
import { instanceOf, type Resource } from './resource.js';

type Settings = Pick<GroupSettings, 'sensors' | 'profile' | 'version' | 'software' | 'softwareInstances'>;

const { text, opaque, cbor, senmlJson, senmlCbor, tlv, lwm2mCbor } = contentFormat;

/** Content-Formats of each version that a device reads and writes. */
const formats: Record<Version, readonly number[]> = {
  '1.0': [text, opaque, tlv],
  '1.1': [text, opaque, cbor, senmlJson, senmlCbor, tlv],
  '1.2': [text, opaque, cbor, senmlJson, senmlCbor, tlv, lwm2mCbor],
};

const fixed = (path: string, type: ResourceType, value: Scalar): Resource => ({ path, type, read: () => value });

const setting = (path: string, type: ResourceType, value: Scalar): Resource => ({
  ...fixed(path, type, value),
  writable: true,
});

const action = (path: string): Resource => ({ path, type: 'none', executable: true });

const server: readonly Resource[] = [
  fixed('/1/0/0', 'integer', 1),
  { path: '/1/0/1', type: 'integer', read: ({ lifetimeSeconds }) => lifetimeSeconds, writable: true },
  setting('/1/0/2', 'integer', 0),
  setting('/1/0/3', 'integer', 0),
  setting('/1/0/6', 'boolean', true),
  fixed('/1/0/7', 'string', 'U'),
  action('/1/0/8'),
  action('/1/0/9'),
];

const device: readonly Resource[] = [
  fixed('/3/0/0', 'string', 'Lanyard'),
  fixed('/3/0/1', 'string', 'Simulated device'),
  { path: '/3/0/2', type: 'string', read: ({ name }) => name },
  { path: '/3/0/3', type: 'string', read: ({ firmware }) => firmware.version },
  action('/3/0/4'),
  fixed('/3/0/6/0', 'integer', 1),
  fixed('/3/0/6/1', 'integer', 5),
  fixed('/3/0/9', 'integer', 100),
  fixed('/3/0/11/0', 'integer', 0),
  { path: '/3/0/13', type: 'time', read: (thing) => Math.floor(thing.nowMs() / 1_000) },
  fixed('/3/0/16', 'string', 'U'),
];

/** All protocols of this simulator: CoAP, CoAPS, HTTP, HTTPS, CoAP over TCP and over TLS. */
const protocols = [0, 1, 2, 3, 4, 5];

const firmware: readonly Resource[] = [
  // The device takes what is written here block by block.
  { path: '/5/0/0', type: 'opaque', writable: true },
  { path: '/5/0/1', type: 'string', read: (thing) => thing.firmware.uri, writable: true },
  action('/5/0/2'),
  { path: '/5/0/3', type: 'integer', read: (thing) => thing.firmware.state },
  { path: '/5/0/5', type: 'integer', read: (thing) => thing.firmware.result },
  { path: '/5/0/7', type: 'string', read: (thing) => thing.firmware.packageVersion },
  ...protocols.map((protocol, at) => fixed(`/5/0/8/${at}`, 'integer', protocol)),
  fixed('/5/0/9', 'integer', 2),
  action('/5/0/10'),
];

const softwareObject = 9;

/** Name of the package in an instance, once a package has arrived. */
const softwareName = 'application';

const software = (n: number): readonly Resource[] => [
  { path: `/9/${n}/0`, type: 'string', read: (thing) => (thing.software?.(n)?.version ? softwareName : '') },
  { path: `/9/${n}/1`, type: 'string', read: (thing) => thing.software?.(n)?.version ?? '' },
  { path: `/9/${n}/2`, type: 'opaque', writable: true },
  { path: `/9/${n}/3`, type: 'string', writable: true },
  action(`/9/${n}/4`),
  action(`/9/${n}/6`),
  { path: `/9/${n}/7`, type: 'integer', read: (thing) => thing.software?.(n)?.state ?? 0 },
  { path: `/9/${n}/9`, type: 'integer', read: (thing) => thing.software?.(n)?.result ?? 0 },
  action(`/9/${n}/10`),
  action(`/9/${n}/11`),
  { path: `/9/${n}/12`, type: 'boolean', read: (thing) => thing.software?.(n)?.isActive ?? false },
];

const sensor = (n: number, { profile }: Settings): readonly Resource[] => [
  { path: `/3303/${n}/5700`, type: 'float', read: temperatureOf(profile), measured: true },
  fixed(`/3303/${n}/5701`, 'string', 'Cel'),
  action(`/3303/${n}/5605`),
];

/** Servers may create and delete instances of these objects; the first instance is the pattern. */
const relay: readonly Resource[] = [
  setting('/3306/0/5850', 'boolean', false),
  setting('/3306/0/5851', 'integer', 0),
  setting('/3306/0/5750', 'string', 'relay'),
];
const display: readonly Resource[] = [setting('/3341/0/5527', 'string', '')];
const creatable = [relay, display];

/** Objects and resources of the devices of a group: 1, 3, 5, 9, 3303 (temperature), 3306 (a relay) and 3341 (a text display). */
export class Catalogue {
  readonly formats: readonly number[];
  readonly version: Version;
  /** The devices have object 9, with or without an instance. */
  readonly hasSoftware: boolean;
  private readonly resources = new Map<string, Resource>();
  private readonly byPrefix = new Map<string, Resource[]>();

  /** `isBehind`: the catalogue of devices behind a gateway, which have no account of a server, and no firmware. */
  constructor(settings: Settings, isBehind = false) {
    this.version = settings.version;
    this.formats = formats[settings.version];
    const sensors = Array.from({ length: settings.sensors }, (_, n) => sensor(n, settings));
    this.hasSoftware = settings.software && !isBehind;
    const packages = Array.from({ length: this.hasSoftware ? settings.softwareInstances : 0 }, (_, n) => software(n));
    const first = isBehind ? [device] : [server, device, firmware, ...packages];
    for (const resource of [...first, ...sensors, ...creatable].flat()) this.add(resource);
  }

  get(path: string): Resource | undefined {
    return this.resources.get(path);
  }

  /** The resources at the path and below it. */
  below(path: string): readonly Resource[] {
    const resource = this.resources.get(path);
    return resource ? [resource] : (this.byPrefix.get(path) ?? []);
  }

  all(): Iterable<Resource> {
    return this.resources.values();
  }

  /** The resources of a new instance; undefined if servers may not create instances of the object. */
  patternOf(object: number, instance: number): readonly Resource[] | undefined {
    if (object === softwareObject) return this.hasSoftware ? software(instance) : undefined;
    const pattern = creatable.find(([first]) => first?.path.startsWith(`/${object}/`));
    return pattern?.map((resource) => ({
      ...resource,
      path: resource.path.replace(instanceOf(resource.path), `/${object}/${instance}`),
    }));
  }

  private add(resource: Resource): void {
    this.resources.set(resource.path, resource);
    const segments = resource.path.split('/');
    for (let depth = 2; depth < segments.length; depth++) {
      const prefix = segments.slice(0, depth).join('/');
      const list = this.byPrefix.get(prefix);
      if (list) list.push(resource);
      else this.byPrefix.set(prefix, [resource]);
    }
  }
}
