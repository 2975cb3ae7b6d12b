import { foldByKey } from '../fold-by-key.js';
import { type DesiredValue, desiredStatus, type ReportedValue } from './values.js';

const keyOf = (v: { deviceId: string; path: string }): string => `${v.deviceId}${v.path}`;

/** One entry per resource, the one that wins. */
const fold = <V extends { deviceId: string; path: string }>(
  values: readonly V[],
  wins: (candidate: V, held: V) => boolean,
): V[] => foldByKey(values, keyOf, (held, next) => (wins(next, held) ? next : held));

const arrivedLater = (a: ReportedValue, b: ReportedValue): boolean =>
  a.epoch > b.epoch || (a.epoch === b.epoch && a.sequence > b.sequence);

/** Length of an instant with six decimals, the most that instants in facts have. */
const isoLength = '2024-01-01T00:00:00.000000Z'.length;

/** The instant with six decimals: instants of the same length compare as strings. */
const comparable = (instant: string): string => {
  if (instant.length === isoLength) return instant;
  const [seconds = '', decimals = ''] = instant.slice(0, -1).split('.');
  return `${seconds}.${decimals.padEnd(6, '0')}Z`;
};

/**
 * Values that the device dates are ordered by its times. Two without a time are ordered by their arrival: the clocks of
 * replicas may differ, and arrival has a number of its own.
 */
export const isNewer = (a: ReportedValue, b: ReportedValue): boolean => {
  if (!a.isMeasured && !b.isMeasured) return arrivedLater(a, b);
  const [at, bt] = [comparable(a.reportedAt), comparable(b.reportedAt)];
  return at > bt || (at === bt && arrivedLater(a, b));
};

export const foldReported = (values: readonly ReportedValue[]): ReportedValue[] => fold(values, isNewer);

/**
 * The later command wins; of the same command, its end wins over its beginning. So neither order of the two topics, nor a
 * repeat of either, reverts a status.
 */
const supersedes = (a: DesiredValue, b: DesiredValue): boolean => {
  if (a.commandId === b.commandId) return b.status === desiredStatus.pending && a.status !== desiredStatus.pending;
  const [at, bt] = [Date.parse(a.desiredAt), Date.parse(b.desiredAt)];
  return at > bt || (at === bt && a.commandId > b.commandId);
};

export const foldDesired = (values: readonly DesiredValue[]): DesiredValue[] => fold(values, supersedes);
