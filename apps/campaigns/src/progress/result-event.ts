import type { DeviceCommandFinished } from '@lanyard/contracts';
import {
  contentFormatOf,
  decodeValues,
  Malformed,
  type ResourceValue,
  standardModels,
  UnsupportedFormat,
} from '@lanyard/lwm2m';
import { deviceEnds, type Report, type SoftwareInstance, type UpdateEvent } from '../machine/device-update.js';
import { versionPath } from '../machine/firmware.js';

const models = standardModels();

/** The device may not have answered, or was not asked because too many commands waited for it. */
const unanswered = new Set([
  'TIMEOUT',
  'NOT_CONNECTED',
  'CONNECTION_FAILED',
  'REQUEST_EXPIRED',
  'REQUEST_CANCELLED',
  'QUEUE_IS_FULL',
]);

/** Errors after which the device can no longer be updated. */
const finalErrors: Record<string, UpdateEvent> = {
  DEVICE_BLOCKED: deviceEnds.suspended,
  DEVICE_REMOVED_REGISTRATION: deviceEnds.deleted,
};

/** undefined: the payload cannot be parsed, which counts as no report. */
const valuesOf = ({ item: { ct, payload }, path }: DeviceCommandFinished): ResourceValue[] | undefined => {
  const format = contentFormatOf(ct ?? 'text/plain');
  if (format === undefined) return undefined;
  try {
    return decodeValues(format, Buffer.from(payload, 'base64'), path, models);
  } catch (error) {
    if (error instanceof Malformed || error instanceof UnsupportedFormat) return undefined;
    throw error;
  }
};

/** Several instances of a resource are several values, below its path. */
const numbersAt = (values: readonly ResourceValue[], path: string): number[] =>
  values
    .filter((value) => value.path === path || value.path.startsWith(`${path}/`))
    .map(({ value }) => Number(value))
    .filter(Number.isInteger);

/**
 * In UTF-16 units: longer than any name or version that a campaign wants, which has at most 255 characters, and short enough for
 * any message that repeats it.
 */
const textMax = 512;

/** As PostgreSQL can store it: some devices send the NUL that ends a text in C, and JSON can hold half of a surrogate pair. */
const textOf = (value: unknown): string => Buffer.from(String(value).replace(/\0.*/s, '').slice(0, textMax)).toString();

const softwareFields = { 0: 'name', 1: 'version', 7: 'state', 9: 'result', 12: 'isActive' } as const;

const readField = (field: (typeof softwareFields)[keyof typeof softwareFields], value: unknown): unknown => {
  if (field === 'isActive') return value === true || value === 1;
  return field === 'name' || field === 'version' ? textOf(value) : Number(value);
};

/** Instances of object 9, by the values below `/9`. */
const softwareIn = (values: readonly ResourceValue[]): SoftwareInstance[] => {
  const instances = new Map<number, SoftwareInstance>();
  for (const { path, value } of values) {
    const [, id, resource] = /^\/9\/(\d+)\/(\d+)$/.exec(path) ?? [];
    const field = softwareFields[Number(resource) as keyof typeof softwareFields];
    if (id === undefined || field === undefined) continue;
    const instance = Number(id);
    const known = instances.get(instance) ?? { instance };
    instances.set(instance, { ...known, [field]: readField(field, value) });
  }
  return [...instances.values()];
};

/** An object without instances is an empty payload, or a list without values. undefined: no instances were read. */
const softwareOf = (
  { method, path, item }: DeviceCommandFinished,
  values: readonly ResourceValue[] | undefined,
): SoftwareInstance[] | undefined => {
  const isObject = method === 'GET' && path === '/9';
  if (isObject && item.payload === '') return [];
  const software = values && softwareIn(values);
  return isObject || (software?.length ?? 0) > 0 ? software : undefined;
};

export const reportOf = (result: DeviceCommandFinished): Report => {
  const parsed = valuesOf(result);
  const values = parsed ?? [];
  const number = (path: string): number | undefined => numbersAt(values, path)[0];
  const version = values.find(({ path }) => path === versionPath)?.value;
  const protocols = numbersAt(values, '/5/0/8');
  const [state, outcome, deliveryMethod] = [number('/5/0/3'), number('/5/0/5'), number('/5/0/9')];
  const software = softwareOf(result, parsed);
  return {
    ...(version !== undefined && { version: textOf(version) }),
    ...(state !== undefined && { state }),
    ...(outcome !== undefined && { result: outcome }),
    ...(protocols.length > 0 && { protocols }),
    ...(deliveryMethod !== undefined && { deliveryMethod }),
    ...(software && { software }),
  };
};

export const eventOfResult = (result: DeviceCommandFinished): UpdateEvent => {
  const { outcome, item } = result;
  if (outcome === 'succeeded') return { kind: 'answered', report: reportOf(result) };
  const error = item.error ?? 'UNKNOWN';
  return finalErrors[error] ?? (unanswered.has(error) ? { kind: 'unanswered' } : { kind: 'refused', error });
};
