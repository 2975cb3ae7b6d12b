import type { DeviceEcho } from '@lanyard/client/browser';
import { counted, moment } from '../ui/format.ts';

export type Resource = DeviceEcho['resources'][number];

type Shown = { value: string; decoded?: unknown } | undefined;

/** SenML units (RFC 8428) as people write them; all others are shown unchanged. */
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

/** Digits that are enough to tell any two numbers of 32 bits apart. */
const float32Digits = 9;

/**
 * A number as its device wrote it. Many devices send numbers of 32 bits: 21.6 then becomes 21.600000381469727 here, but the
 * shortest text for the same 32 bits is 21.6 again.
 */
const numberText = (n: number): string => {
  if (Number.isInteger(n) || Math.fround(n) !== n) return String(n);
  for (let digits = 1; digits < float32Digits; digits++) {
    const short = Number(n.toPrecision(digits));
    if (Math.fround(short) === n) return String(short);
  }
  return String(Number(n.toPrecision(float32Digits)));
};

/** Text for a time in seconds since 1970. */
const timeText = (seconds: number): string => {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? String(seconds) : moment(date);
};

/** A value as a person reads it, with its unit; undefined if there is none. */
export const textOf = (shown: Shown, { type, unit }: Pick<Resource, 'type' | 'unit'>): string | undefined => {
  if (!shown) return undefined;
  const { decoded, value } = shown;
  if (decoded === undefined) return counted(atob(value).length, 'byte');
  if (typeof decoded === 'object') return JSON.stringify(decoded);
  if (typeof decoded !== 'number') return String(decoded);
  return type === 'time' ? timeText(decoded) : `${numberText(decoded)} ${symbolOf(unit)}`.trimEnd();
};

/** A device's answer to a command: its text, or which kind of bytes it is. */
export const answerText = (payload: Uint8Array, contentType: string | null | undefined): string =>
  payload.length === 0 || /^text\/|json|link-format/.test(contentType ?? 'text/')
    ? new TextDecoder().decode(payload)
    : `${counted(payload.length, 'byte')} of ${contentType}`;

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
  /** Name of the object, if it is known: `Temperature`. */
  name: string | undefined;
  resources: Resource[];
}

/** The resources grouped by object instance, in numerical order. */
export const instancesOf = (resources: readonly Resource[]): Instance[] => {
  const instances = new Map<string, Resource[]>();
  for (const resource of resources.toSorted(byNumbers)) {
    const path = resource.resource_path.split('/').slice(0, 3).join('/');
    instances.set(path, [...(instances.get(path) ?? []), resource]);
  }
  return [...instances].map(([path, members]) => ({ path, name: members[0]?.object_name, resources: members }));
};

export const isNumeric = ({ type, reported }: Resource): boolean =>
  type === 'float' ||
  type === 'integer' ||
  type === 'unsigned' ||
  (type !== 'time' && typeof reported?.decoded === 'number');

/** How to write a value as text (LwM2M 1.1 core §7.4.1), for types whose name does not tell it. */
const forms: Record<string, string> = { opaque: 'in base64', time: 'in seconds since 1970', boolean: '1 or 0' };

/** `Value (float, °C)` */
export const fieldLabel = ({ type, unit }: Pick<Resource, 'type' | 'unit'>): string => {
  const parts = [type === 'none' ? '' : type, forms[type ?? ''] ?? symbolOf(unit)].filter(Boolean);
  return parts.length === 0 ? 'Value' : `Value (${parts.join(', ')})`;
};

/** RFC 4648, with or without padding. */
const base64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}(==)?|[A-Za-z0-9+/]{3}=?)?$/;

const float = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Why a text is not a value of the type; undefined if it is one. */
export const faultOf = (type: string | undefined, text: string): string | undefined => {
  if (type === 'float' && !float.test(text)) return 'Enter a number.';
  if ((type === 'integer' || type === 'time') && !/^-?\d+$/.test(text)) return 'Enter a whole number.';
  if (type === 'unsigned' && !/^\d+$/.test(text)) return 'Enter a whole number that is not negative.';
  if (type === 'boolean' && !/^[01]$/.test(text)) return 'Enter 1 for true or 0 for false.';
  if (type === 'opaque' && !base64.test(text)) return 'Enter the bytes in base64.';
  if (type === 'objlnk' && !/^\d{1,5}:\d{1,5}$/.test(text))
    return 'Enter an object and an instance, for example 3303:0.';
  return undefined;
};
