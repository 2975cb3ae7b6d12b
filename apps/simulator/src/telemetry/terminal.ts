import { type FleetEvent, type Tally } from '../counts/tally.js';
import { type GroupFleet } from '../fleet/group-fleet.js';
import { adviceFor } from './advice.js';

/** After this time without an observation, the terminal explains why no values are sent. */
const unobservedMs = 8_000;

/** The part of a group that is shown. */
type Shown = Pick<GroupFleet, 'group' | 'size'>;

export interface TerminalParts {
  groups: readonly Shown[];
  /** Counts of the whole fleet. */
  tally: Tally;
  write: (line: string) => void;
}

/** Prints a line every few seconds: the state of the fleet, and what it did since the previous line. */
export class Terminal {
  private timer: NodeJS.Timeout | undefined;
  private before: Tally['counts'];
  private beforeMs = performance.now();
  /** Since when a group has had registrations without an observation. */
  private readonly unobservedSinceMs = new Map<Shown, number>();
  private readonly advised = new Set<Shown>();

  constructor(private readonly parts: TerminalParts) {
    this.before = { ...parts.tally.counts };
  }

  start(seconds: number, metricsUrl: string): void {
    this.print(`${this.size} devices; ${metricsUrl}/metrics`);
    for (const one of this.parts.groups) this.printMissing(one);
    this.timer = setInterval(() => {
      this.print(this.line());
      for (const one of this.parts.groups) this.advise(one);
    }, seconds * 1_000);
  }

  stop(): void {
    clearInterval(this.timer);
    this.print(this.line());
  }

  print(text: string): void {
    this.parts.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
  }

  private get size(): number {
    return this.parts.groups.reduce((sum, { size }) => sum + size, 0);
  }

  /** Reports devices for which the file of credentials has no line. */
  private printMissing({ size, group: { settings } }: Shown): void {
    const { name, devices } = settings;
    if (size < devices) this.print(`"${name}" has ${size} of ${devices} devices: there are no more credentials`);
  }

  /** Prints the hint once for each group. A group that was observed before will be observed again, so it gets no hint. */
  private advise(shown: Shown): void {
    const { tally, watches, settings } = shown.group;
    if (this.advised.has(shown) || tally.registered === 0) return;
    const nowMs = performance.now();
    const sinceMs = this.unobservedSinceMs.get(shown) ?? nowMs;
    this.unobservedSinceMs.set(shown, sinceMs);
    const isObserved = watches.size > 0;
    if (!isObserved && nowMs - sinceMs < unobservedMs) return;
    this.advised.add(shown);
    if (!isObserved && settings.valuesPerSecond > 0) this.print(adviceFor(settings));
  }

  private line(): string {
    const { tally, groups } = this.parts;
    const { counts, registered, trouble, latencies } = tally;
    const [seconds, before] = [(performance.now() - this.beforeMs) / 1_000, this.before];
    const rate = (event: FleetEvent): string => ((counts[event] - before[event]) / seconds).toFixed(1);
    const failures = counts.refused + counts.silence - before.refused - before.silence;
    this.before = { ...counts };
    this.beforeMs = performance.now();
    return [
      `registered ${registered}/${this.size}`,
      `observed ${groups.reduce((sum, { group }) => sum + group.watches.size, 0)}`,
      `updates ${rate('updated')}/s`,
      `values ${rate('value-sent')}/s`,
      ...(latencies.value.count > 0
        ? [`(p50 ${latencies.value.quantile(0.5)} ms, p99 ${latencies.value.quantile(0.99)} ms)`]
        : []),
      `commands ${rate('command-answered')}/s`,
      `refused ${counts.refused}`,
      `unanswered ${counts.silence}`,
      ...(failures > 0 && trouble !== '' ? [`(${trouble})`] : []),
    ].join('  ');
  }
}
