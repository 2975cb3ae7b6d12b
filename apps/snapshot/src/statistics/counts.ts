import type {
  ChannelEventsDropped,
  DeviceCommandFinished,
  DeviceSessionChanged,
  ResourceValueArrived,
} from '@lanyard/contracts';
import { fastClockMs } from '../limits.js';

/** What is counted, as the columns and the API name it. */
export const counted = [
  'registrations',
  'registration_updates',
  'deregistrations',
  'registrations_expired',
  'values',
  'commands_succeeded',
  'commands_failed',
  'commands_expired',
  'events_dropped',
] as const;
export type Counted = (typeof counted)[number];

/** What a fact adds to the counts of its account. */
export interface Count {
  accountId: string;
  atMs: number;
  what: Counted;
  n: number;
}

/** How long counts in steps of this many seconds are kept, and the length of their partitions. */
export interface Resolution {
  stepSeconds: number;
  keptMs: number;
  periodMs: number;
  /** Length of the range that is shown if none is given. */
  defaultRangeMs: number;
}

const hourMs = 3_600_000;

export const resolutions = [
  { stepSeconds: 10, keptMs: 2 * hourMs, periodMs: hourMs, defaultRangeMs: hourMs },
  { stepSeconds: 300, keptMs: 7 * 24 * hourMs, periodMs: 24 * hourMs, defaultRangeMs: 24 * hourMs },
] as const satisfies readonly Resolution[];

/** A week of steps of 300 s, and the step that is not over. */
export const statisticsStepsMax = 2_017;

const ofSession = {
  registered: 'registrations',
  updated: 'registration_updates',
  deregistered: 'deregistrations',
  expired: 'registrations_expired',
} as const;

const ofOutcome = {
  succeeded: 'commands_succeeded',
  failed: 'commands_failed',
  expired: 'commands_expired',
} as const;

/** Throws RangeError for a time that does not exist, such as one of a month 13, which the contract does not exclude. */
const timeOf = (instant: string): number => {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) throw new RangeError(`${instant} is no time`);
  return ms;
};

export const countOfSession = ({ accountId, change, occurredAt }: DeviceSessionChanged): Count => ({
  accountId,
  atMs: timeOf(occurredAt),
  what: ofSession[change],
  n: 1,
});

export const countOfValue = ({ accountId, observedAt }: ResourceValueArrived): Count => ({
  accountId,
  atMs: timeOf(observedAt),
  what: 'values',
  n: 1,
});

export const countOfResult = ({ accountId, outcome, finishedAt }: DeviceCommandFinished): Count => ({
  accountId,
  atMs: timeOf(finishedAt),
  what: ofOutcome[outcome],
  n: 1,
});

export const countOfDrops = ({ accountId, count, occurredAt }: ChannelEventsDropped): Count => ({
  accountId,
  atMs: timeOf(occurredAt),
  what: 'events_dropped',
  n: count,
});

export interface StepCounts extends Record<Counted, number> {
  accountId: string;
  stepSeconds: number;
  fromMs: number;
}

export const noCounts = Object.fromEntries(counted.map((what) => [what, 0])) as Record<Counted, number>;

/**
 * Sums counts by account and step of each resolution. The sums are sorted, so that writers lock rows in one order.
 * Counts that are no longer kept, and counts from too far in the future, are left out.
 */
export const sumByStep = (counts: readonly Count[], nowMs: number): StepCounts[] => {
  const sums = new Map<string, StepCounts>();
  for (const { accountId, atMs, what, n } of counts)
    for (const { stepSeconds, keptMs } of resolutions) {
      const fromMs = Math.floor(atMs / (stepSeconds * 1_000)) * stepSeconds * 1_000;
      if (fromMs < nowMs - keptMs || fromMs > nowMs + fastClockMs) continue;
      const key = `${accountId} ${stepSeconds} ${fromMs}`;
      const sum = sums.get(key) ?? { accountId, stepSeconds, fromMs, ...noCounts };
      sum[what] += n;
      sums.set(key, sum);
    }
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
};
