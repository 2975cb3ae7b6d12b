import { type FleetEvent, timed } from '../counts/tally.js';
import { type GroupFleet } from '../fleet/group-fleet.js';

/** The part of a group that is summarized. */
type Summed = Pick<GroupFleet, 'group' | 'arrived' | 'registered'>;

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Losses of a group, and failures that it was not configured to have; empty if all is well. */
const problemsOf = ({ group, arrived, registered }: Summed): string[] => {
  const { counts, refusing } = group.tally;
  const { firmware } = group.settings;
  // Devices that never answer are missing because they are configured to.
  const isWhole = registered === arrived || firmware.failure === 'never-answers';
  const [firmwareFailed, softwareFailed] =
    firmware.failure === 'none' ? [counts['firmware-failed'], counts['software-failed']] : [0, 0];
  return [
    ...(counts['value-lost'] > 0 ? [`${plural(counts['value-lost'], 'value')} not acknowledged`] : []),
    ...(counts['value-dropped'] > 0 ? [`${plural(counts['value-dropped'], 'value')} dropped by devices`] : []),
    // The values of a refused Send are sent again with the next one.
    ...(refusing > 0 ? [`${plural(refusing, 'device')} whose last send was refused`] : []),
    ...(isWhole ? [] : [`${plural(arrived - registered, 'device')} without a registration at the end`]),
    ...(firmwareFailed > 0 ? [`${plural(firmwareFailed, 'firmware update')} failed`] : []),
    ...(softwareFailed > 0 ? [`${plural(softwareFailed, 'software installation')} failed`] : []),
  ];
};

const shown: readonly FleetEvent[] = [
  'registered',
  'updated',
  'restarted',
  'rebound',
  'handshake',
  'handshake-resumed',
  'bootstrapped',
  'bootstrap-failed',
  'value-sent',
  'send-accepted',
  'send-refused',
  'command-answered',
  'firmware-updated',
  'firmware-failed',
  'software-installed',
  'software-failed',
  'refused',
  'silence',
];

const linesOf = (summed: Summed): string[] => {
  const { tally, settings } = summed.group;
  const events = shown.filter((event) => tally.counts[event] > 0).map((event) => `${event} ${tally.counts[event]}`);
  const latencies = timed
    .map((what) => [what, tally.latencies[what]] as const)
    .filter(([, latency]) => latency.count > 0)
    .map(([what, latency]) => `${what} p50 ${latency.quantile(0.5)} ms, p99 ${latency.quantile(0.99)} ms`);
  const problems = problemsOf(summed);
  // There were no more credentials, or the run ended before their turn.
  const absent = settings.devices - summed.arrived;
  const registered = `${summed.registered}/${settings.devices} registered`;
  return [
    `${settings.name}: ${registered}${absent > 0 ? ` (${absent} never started)` : ''}; ${events.join(', ')}`,
    ...(latencies.length > 0 ? [`  ${latencies.join('; ')}`] : []),
    ...problems.map((problem) => `  LOST: ${problem}`),
  ];
};

export interface Summary {
  text: string;
  /** Whether nothing was lost. */
  isGood: boolean;
}

/** The summary of a run, before its devices deregister. */
export const summarize = (groups: readonly Summed[]): Summary => {
  const isGood = groups.every((group) => problemsOf(group).length === 0);
  const verdict = isGood ? 'nothing was lost' : 'something was lost';
  return { isGood, text: ['summary', ...groups.flatMap(linesOf), verdict].join('\n') };
};
