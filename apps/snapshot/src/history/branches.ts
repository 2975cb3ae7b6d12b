const hourMs = 3_600_000;

/**
 * A branch of the partitioned table `value_history`: the values that are kept for up to so many hours, in partitions of
 * `periodMs`.
 */
export interface Branch {
  keptHours: number;
  periodMs: number;
}

/** The shortest branch that is long enough gets the values of an account: a day, a week, 31 days. */
export const branches: readonly Branch[] = [
  { keptHours: 24, periodMs: 2 * hourMs },
  { keptHours: 168, periodMs: 12 * hourMs },
  { keptHours: 744, periodMs: 48 * hourMs },
];

/** The branch for the values of an account that keeps them for this many hours. undefined: it keeps no history. */
export const branchForHours = (hours: number): Branch | undefined =>
  hours > 0 ? branches.find(({ keptHours }) => hours <= keptHours) : undefined;

export const hoursToMs = (hours: number): number => hours * hourMs;
