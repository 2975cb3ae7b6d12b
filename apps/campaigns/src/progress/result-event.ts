import type { DeviceCommandFinished } from '@lanyard/contracts';
import {
  contentFormatOf,
  decodeValues,
  Malformed,
  type ResourceValue,
  standardModels,
  UnsupportedFormat,
} from '@lanyard/lwm2m';
import { versionPath } from '../machine/advance.js';
import type { Report, UpdateEvent } from '../machine/device-update.js';

const models = standardModels();

/** The device did not answer, as far as anyone knows. */
const unanswered = new Set(['TIMEOUT', 'NOT_CONNECTED', 'REQUEST_EXPIRED', 'REQUEST_CANCELLED']);

/** The device is not there for updates any more. */
const gone: Record<string, string> = {
  DEVICE_BLOCKED: 'the device is suspended',
  DEVICE_REMOVED_REGISTRATION: 'the device was deleted',
};

/** What cannot be read is as if the device had not said it. */
const valuesOf = ({ item: { ct, payload }, path }: DeviceCommandFinished): ResourceValue[] => {
  const format = contentFormatOf(ct ?? 'text/plain');
  if (format === undefined) return [];
  try {
    return decodeValues(format, Buffer.from(payload, 'base64'), path, models);
  } catch (error) {
    if (error instanceof Malformed || error instanceof UnsupportedFormat) return [];
    throw error;
  }
};

/** Several instances of a resource are several values, below its path. */
const numbersAt = (values: readonly ResourceValue[], path: string): number[] =>
  values
    .filter((value) => value.path === path || value.path.startsWith(`${path}/`))
    .map(({ value }) => Number(value))
    .filter(Number.isInteger);

export const reportOf = (result: DeviceCommandFinished): Report => {
  const values = valuesOf(result);
  const number = (path: string): number | undefined => numbersAt(values, path)[0];
  const version = values.find(({ path }) => path === versionPath)?.value;
  const protocols = numbersAt(values, '/5/0/8');
  const [state, outcome, deliveryMethod] = [number('/5/0/3'), number('/5/0/5'), number('/5/0/9')];
  return {
    ...(version !== undefined && { version: String(version) }),
    ...(state !== undefined && { state }),
    ...(outcome !== undefined && { result: outcome }),
    ...(protocols.length > 0 && { protocols }),
    ...(deliveryMethod !== undefined && { deliveryMethod }),
  };
};

/** What the result of a command means for the update of its device. */
export const eventOfResult = (result: DeviceCommandFinished): UpdateEvent => {
  const { outcome, item } = result;
  if (outcome === 'succeeded') return { kind: 'answered', report: reportOf(result) };
  const error = item.error ?? 'UNKNOWN';
  const reason = gone[error];
  if (reason !== undefined) return { kind: 'ended', state: 'failed', code: 'SYS_111', reason };
  return unanswered.has(error) ? { kind: 'unanswered' } : { kind: 'refused', error };
};
