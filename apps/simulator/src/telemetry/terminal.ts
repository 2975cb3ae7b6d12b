import { type Tally } from '../counts/tally.js';
import { type Watches } from '../device/watches.js';

/** After this time without an observer, the terminal explains why no values are sent. */
const unobservedMs = 8_000;

/** The hint for a fleet without observers. */
export interface Advice {
  deviceType: string;
  /** Period of registration updates, with which a rule takes effect. */
  updateSeconds: number;
}

const adviceText = ({ deviceType, updateSeconds }: Advice): string =>
  [
    'nothing observes these devices, so they report nothing. A rule observes all of them, each from its next update on',
    `(within ${updateSeconds} s); a subscription (PUT /v2/subscriptions/{device id}/3303/0/5700) one of them at once:`,
    '  curl -X PUT -H "Authorization: Bearer $(cat .lanyard/admin.key)" http://127.0.0.1:8080/v2/subscriptions \\',
    `    -d '[{"endpoint-type":"${deviceType}","resource-path":["/3303/0/5700"]}]'`,
  ].join('\n');

/** Prints a line every few seconds: the state of the fleet, and what it did since the previous line. */
export class Terminal {
  private timer: NodeJS.Timeout | undefined;
  private before: Tally['counts'];
  private beforeMs = performance.now();
  /** Since when devices have been registered without an observation; undefined once the hint was printed. */
  private unobservedSinceMs: number | undefined = Infinity;

  constructor(
    private readonly tally: Tally,
    private readonly watches: Watches,
    private readonly devices: number,
    private readonly advice: Advice,
    private readonly write: (line: string) => void,
  ) {
    this.before = { ...tally.counts };
  }

  start(seconds: number, metricsUrl: string): void {
    this.printLine(`${this.devices} devices; ${metricsUrl}/metrics`);
    this.timer = setInterval(() => {
      this.printLine(this.line());
      this.advise();
    }, seconds * 1_000);
  }

  stop(): void {
    clearInterval(this.timer);
    this.printLine(this.line());
  }

  /** Prints the hint once. A fleet that was observed before will be observed again. */
  private advise(): void {
    if (this.unobservedSinceMs === undefined || this.tally.registered === 0) return;
    const nowMs = performance.now();
    this.unobservedSinceMs = Math.min(this.unobservedSinceMs, nowMs);
    const isObserved = this.watches.size > 0;
    if (!isObserved && nowMs - this.unobservedSinceMs < unobservedMs) return;
    this.unobservedSinceMs = undefined;
    if (!isObserved) this.printLine(adviceText(this.advice));
  }

  private printLine(text: string): void {
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
      `unanswered ${counts.silence}`,
      ...(failures > 0 && trouble !== '' ? [`(${trouble})`] : []),
    ].join('  ');
  }
}
