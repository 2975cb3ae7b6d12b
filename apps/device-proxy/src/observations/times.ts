import {
  contentFormat,
  contentFormatOf,
  decodeValues,
  encodeValues,
  Malformed,
  mediaTypeOf,
  type ModelRegistry,
  type ResourceValue,
  UnsupportedFormat,
} from '@lanyard/lwm2m';

/**
 * A device whose clock was never set gives its values times that are years in the past. A time that is older than the
 * life of a snapshot (spec §8, 6 months) is not credible.
 */
export const credibleAgeMs = 183 * 86_400_000;

interface Timed {
  /** As reported by the device. */
  timeMs?: number;
}

interface Measured {
  /** Absent: measured at the time of arrival. */
  measuredAtMs?: number;
}

/**
 * Oldest first, each with a credible time. A record without a time, or with one in the future, counts as measured on arrival. A
 * record whose time is too old to be true counts as measured with the next newer record. So the newest record of a pack is the
 * newest value, whatever the clock of the device shows.
 */
export const inOrderOfTime = <T extends Timed>(records: readonly T[], nowMs: number): (T & Measured)[] => {
  const sorted: (T & Measured)[] = [...records].sort((a, b) => (a.timeMs ?? nowMs) - (b.timeMs ?? nowMs));
  let next: number | undefined;
  for (let n = sorted.length - 1; n >= 0; n--) {
    const record = sorted[n] as T & Measured;
    if (record.timeMs === undefined || record.timeMs > nowMs) next = undefined;
    else if (record.timeMs >= nowMs - credibleAgeMs) next = record.timeMs;
    if (next !== undefined) sorted[n] = { ...record, measuredAtMs: next };
  }
  return sorted;
};

const formatsWithTimes = new Set(
  [contentFormat.senmlJson, contentFormat.senmlCbor, contentFormat.lwm2mJson, contentFormat.json].map(mediaTypeOf),
);

/** Called for every value. */
export const mayHaveTimes = (contentType: string): boolean => formatsWithTimes.has(contentType);

/** Values that a device measured at one time. */
export interface Moment extends Measured {
  payload: Buffer;
  contentType: string;
}

/** SenML stays SenML; LwM2M JSON, which this service does not write, becomes SenML JSON. */
const packOf = (path: string, contentType: string, values: readonly (ResourceValue & Measured)[]): Moment => {
  const given = contentFormatOf(contentType);
  const format = given === contentFormat.senmlCbor ? given : contentFormat.senmlJson;
  const records = values.map((value) => ({ ...value, timeMs: value.measuredAtMs }));
  return {
    payload: encodeValues(format, path, records),
    contentType: mediaTypeOf(format),
    measuredAtMs: values[0]?.measuredAtMs,
  };
};

/**
 * A notification or answer, split by the times at which its values were measured, oldest first. A payload with a single time
 * stays as the device sent it, and so does one that cannot be read.
 */
export const byTime = (
  path: string,
  contentType: string,
  payload: Buffer,
  models: ModelRegistry,
  nowMs: number,
): Moment[] => {
  const values = recordsOf(path, contentType, payload, models, nowMs);
  const [first, ...others] = inOrderOfTime(values, nowMs);
  if (first === undefined || others.every(({ timeMs }) => timeMs === first.timeMs))
    return [{ payload, contentType, measuredAtMs: first?.measuredAtMs }];
  return groups([first, ...others]).map((group) => packOf(path, contentType, group));
};

/** Groups adjacent records of the same time. */
const groups = <T extends Timed>(sorted: readonly T[]): T[][] => {
  const all: T[][] = [];
  for (const record of sorted) {
    const last = all.at(-1);
    if (last && last[0]?.timeMs === record.timeMs) last.push(record);
    else all.push([record]);
  }
  return all;
};

const recordsOf = (
  path: string,
  contentType: string,
  payload: Buffer,
  models: ModelRegistry,
  nowMs: number,
): ResourceValue[] => {
  const format = contentFormatOf(contentType);
  try {
    return format === undefined ? [] : decodeValues(format, payload, path, models, nowMs);
  } catch (error) {
    if (error instanceof Malformed || error instanceof UnsupportedFormat) return [];
    throw error;
  }
};
