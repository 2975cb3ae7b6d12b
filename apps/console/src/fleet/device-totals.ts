/** Numbers of devices, as the statistics have them. */
interface DeviceCounts {
  total: number;
  by_state: Readonly<Record<string, number>>;
  by_lifecycle_status: Readonly<Record<string, number>>;
}

export interface Total {
  label: string;
  n: number;
  /** Filters of the device list. */
  search: Record<string, string>;
}

const states = [
  { state: 'registered', label: 'Registered' },
  { state: 'deregistered', label: 'Deregistered' },
  { state: 'unenrolled', label: 'Never registered' },
];

/** Devices only pass through these states, so they are shown only while there are any. */
const transientStates = [
  { state: 'bootstrapped', label: 'Bootstrapped' },
  { state: 'cloud_enrolling', label: 'Enrolling' },
];

/** All devices, those in each state, and those that are suspended, whatever their state. */
export const totalsOf = ({ total, by_state: counts, by_lifecycle_status: status }: DeviceCounts): Total[] => {
  const inState = ({ state, label }: (typeof states)[number]): Total => ({
    label,
    n: counts[state] ?? 0,
    search: { state },
  });
  return [
    { label: 'All devices', n: total, search: {} },
    ...states.map(inState),
    ...transientStates.map(inState).filter(({ n }) => n > 0),
    { label: 'Suspended', n: status['blocked'] ?? 0, search: { lifecycle_status: 'blocked' } },
  ];
};

/** The share as a text: `0 %` only if there are none, `100 %` only for all. */
export const percentOf = (n: number, total: number): string => {
  const percent = Math.round((n / total) * 100);
  if (percent === 0 && n > 0) return '< 1 %';
  return percent === 100 && n < total ? '> 99 %' : `${percent} %`;
};
