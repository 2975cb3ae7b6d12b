import type { DeviceEcho } from '@lanyard/client/browser';

export type Resource = DeviceEcho['resources'][number];

type Shown = { value: string; decoded?: unknown } | undefined;

/** Units of SenML (RFC 8428) as people write them; all others are shown as they are. */
const symbols: Record<string, string> = {
  Cel: '°C',
  lat: '°',
  lon: '°',
  deg: '°',
  '%RH': '% RH',
  'm/s2': 'm/s²',
  Ohm: 'Ω',
};

export const symbolOf = (unit: string | undefined): string => (unit === undefined ? '' : (symbols[unit] ?? unit));

/** A value as a person reads it, with its unit; undefined: there is none. */
export const textOf = (shown: Shown, unit?: string): string | undefined => {
  if (!shown) return undefined;
  const { decoded, value } = shown;
  if (decoded === undefined) return `${atob(value).length} bytes`;
  if (typeof decoded === 'object') return JSON.stringify(decoded);
  return `${String(decoded)} ${typeof decoded === 'number' ? symbolOf(unit) : ''}`.trimEnd();
};

/** `/3303/0/5700` -> ['3303', '0', '5700'] */
const numbersOf = (path: string): number[] => path.split('/').slice(1).map(Number);

const byNumbers = (a: Resource, b: Resource): number => {
  const [left, right] = [numbersOf(a.resource_path), numbersOf(b.resource_path)];
  const at = left.findIndex((n, i) => n !== right[i]);
  return at === -1 ? left.length - right.length : (left[at] as number) - (right[at] ?? -1);
};

export interface Instance {
  /** `/3303/0` */
  path: string;
  /** Of its object, if that is known: `Temperature`. */
  name: string | undefined;
  resources: Resource[];
}

/** The resources of each object instance, in the order of their numbers. */
export const instancesOf = (resources: readonly Resource[]): Instance[] => {
  const instances = new Map<string, Resource[]>();
  for (const resource of resources.toSorted(byNumbers)) {
    const path = resource.resource_path.split('/').slice(0, 3).join('/');
    instances.set(path, [...(instances.get(path) ?? []), resource]);
  }
  return [...instances].map(([path, members]) => ({ path, name: members[0]?.object_name, resources: members }));
};

export const isNumeric = ({ type, reported }: Resource): boolean =>
  type === 'float' || type === 'integer' || type === 'unsigned' || typeof reported?.decoded === 'number';

/** Why a text is not a value of the type; undefined: it is one. */
export const faultOf = (type: string | undefined, text: string): string | undefined => {
  if (type === 'float' && (text.trim() === '' || !Number.isFinite(Number(text)))) return 'Enter a number.';
  if ((type === 'integer' || type === 'time') && !/^-?\d+$/.test(text)) return 'Enter a whole number.';
  if (type === 'unsigned' && !/^\d+$/.test(text)) return 'Enter a whole number that is not negative.';
  if (type === 'boolean' && !/^[01]$/.test(text)) return 'Enter 1 for true or 0 for false.';
  return undefined;
};
