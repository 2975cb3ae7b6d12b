import { type Tally } from '../fleet/tally.js';
import { type Watches } from '../fleet/watches.js';

/** A line every few seconds: how the fleet is, and what it did since the line before. */
export class Terminal {
  private timer: NodeJS.Timeout | undefined;
  private before: Tally['counts'];
  private beforeMs = performance.now();

  constructor(
    private readonly tally: Tally,
    private readonly watches: Watches,
    private readonly devices: number,
    private readonly write: (line: string) => void,
  ) {
    this.before = { ...tally.counts };
  }

  start(seconds: number, metricsUrl: string): void {
    this.say(`${this.devices} devices; ${metricsUrl}/metrics`);
    this.timer = setInterval(() => this.say(this.line()), seconds * 1_000);
  }

  stop(): void {
    clearInterval(this.timer);
    this.say(this.line());
  }

  private say(text: string): void {
    this.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
  }

  private line(): string {
    const { counts, registered, trouble } = this.tally;
    const [seconds, before] = [(performance.now() - this.beforeMs) / 1_000, this.before];
    const rate = (event: keyof typeof counts): string => ((counts[event] - before[event]) / seconds).toFixed(1);
    const failures = counts.refused + counts.silence - before.refused - before.silence;
    this.before = { ...counts };
    this.beforeMs = performance.now();
    return [
      `registered ${registered}/${this.devices}`,
      `observed ${this.watches.size}`,
      `updates ${rate('updated')}/s`,
      `values ${rate('value-sent')}/s`,
      `commands ${rate('command-answered')}/s`,
      `refused ${counts.refused}`,
      `unheard ${counts.silence}`,
      ...(failures > 0 && trouble !== '' ? [`(${trouble})`] : []),
    ].join('  ');
  }
}
