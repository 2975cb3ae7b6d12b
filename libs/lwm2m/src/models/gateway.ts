import { Malformed } from '../errors.js';
import { type LinkList, parseLinks } from '../paths/link-format.js';
import { parsePath } from '../paths/path.js';
import { hasAtMostCharacters, notInNames } from '../text.js';
import type { ResourceValue } from '../values/value.js';
import { objectModel } from './model-registry.js';

/** The gateway object, version 2.0 (LwM2M Gateway 1.1.1 §6), with resource 2 of version 1.0. */
export const gatewayObject = objectModel(
  25,
  'LwM2M Gateway',
  `0 Device ID string R
   1 Prefix string R
   2 Routing Table Entry objlnk R
   3 IoT Device Objects corelnk R`,
);

export const gatewayPath = `/${gatewayObject.object}`;

/** A device behind a gateway, as an instance of object 25 describes it. */
export interface DeviceBehind {
  instance: number;
  /** Its endpoint name. */
  deviceId: string;
  /** The first segment of the paths of its resources. */
  prefix: string;
  objects: LinkList;
}

/** An instance that describes no device. */
export interface UnusableInstance {
  instance: number;
  deviceId?: string;
  prefix?: string;
  problem: string;
}

const deviceIdMax = 64;
const prefixMax = 64;

/** Characters of names in SenML (RFC 8428 §4.5.1), without the slash. Digits alone would be read as an object id. */
const prefixPattern = /^(?!\.{1,2}$)(?!\d+$)[A-Za-z0-9\-:._]+$/;

type Texts = ReadonlyMap<number, string>;

const textsOf = (values: readonly ResourceValue[]): Map<number, Map<number, string>> => {
  const instances = new Map<number, Map<number, string>>();
  for (const { path, value } of values) {
    const { object, instance, resource } = parsePath(path);
    if (object !== gatewayObject.object || instance === undefined || resource === undefined) continue;
    const texts = instances.get(instance) ?? new Map<number, string>();
    instances.set(instance, texts);
    if (typeof value !== 'string') continue;
    // Several instances of the resource together form one list of links.
    const before = texts.get(resource);
    texts.set(resource, before === undefined ? value : `${before},${value}`);
  }
  return instances;
};

const problemOf = (texts: Texts): string | undefined => {
  const [deviceId, prefix] = [texts.get(0), texts.get(1)];
  if (deviceId === undefined || deviceId.trim() === '') return 'resource 0, the device id, is missing or blank';
  if (!hasAtMostCharacters(deviceId, deviceIdMax))
    return `resource 0, the device id, has more than ${deviceIdMax} characters`;
  if (notInNames.test(deviceId)) return 'resource 0, the device id, has control characters or half of a surrogate pair';
  if (prefix === undefined || prefix === '') return 'resource 1, the prefix, is missing or empty';
  if (prefix.length > prefixMax) return `resource 1, the prefix, has more than ${prefixMax} characters`;
  if (!prefixPattern.test(prefix))
    return 'resource 1, the prefix, must be one segment of a path: letters, digits, "-", ":", "." and "_", and not digits alone';
  if (!texts.has(3)) return 'resource 3, the objects, is missing, as in version 1.0 of object 25';
  return undefined;
};

const read = (instance: number, texts: Texts): DeviceBehind | UnusableInstance => {
  const [deviceId, prefix] = [texts.get(0), texts.get(1)];
  const given = { instance, ...(deviceId !== undefined && { deviceId }), ...(prefix !== undefined && { prefix }) };
  const problem = problemOf(texts);
  if (problem !== undefined) return { ...given, problem };
  try {
    return { instance, deviceId: deviceId!, prefix: prefix!, objects: parseLinks(texts.get(3)!) };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { ...given, problem: `resource 3, the objects: ${error.message}` };
  }
};

const isUsable = (one: DeviceBehind | UnusableInstance): one is DeviceBehind => !('problem' in one);

/** If several instances share a value, the one that is meant is unknown, so none of them is used. */
const repeated = (
  all: readonly (DeviceBehind | UnusableInstance)[],
  field: 'deviceId' | 'prefix',
): ReadonlySet<string | undefined> => {
  const seen = new Set<string | undefined>();
  return new Set(
    all.map((one) => one[field]).filter((value) => value !== undefined && (seen.has(value) || !seen.add(value))),
  );
};

/** The devices that the values of object 25 describe, in the order of their instances, and the instances that describe none. */
export const devicesBehind = (
  values: readonly ResourceValue[],
): { devices: DeviceBehind[]; unusable: UnusableInstance[] } => {
  const all = [...textsOf(values)].sort(([a], [b]) => a - b).map(([instance, texts]) => read(instance, texts));
  const [names, prefixes] = [repeated(all, 'deviceId'), repeated(all, 'prefix')];
  const checked = all.map((one): DeviceBehind | UnusableInstance => {
    if (!isUsable(one)) return one;
    const { instance, deviceId, prefix } = one;
    const given = { instance, deviceId, prefix };
    if (prefixes.has(prefix)) return { ...given, problem: 'resource 1, the prefix, is that of another instance too' };
    if (names.has(deviceId)) return { ...given, problem: 'resource 0, the device id, is that of another instance too' };
    return one;
  });
  return { devices: checked.filter(isUsable), unusable: checked.filter((one) => !isUsable(one)) as UnusableInstance[] };
};
