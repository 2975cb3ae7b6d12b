import { type Watches } from '../observation/watches.js';

const tickMs = 20;

/** Makes observed resources report, in turn, at an even rate for the whole fleet. */
export class Reporter {
  private timer: NodeJS.Timeout | undefined;
  private since = 0;
  private sent = 0;

  constructor(
    private readonly watches: Watches,
    private readonly perSecond: number,
  ) {}

  start(): void {
    if (this.perSecond === 0) return;
    this.begin();
    this.timer = setInterval(() => this.tick(), tickMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private begin(): void {
    this.since = performance.now();
    this.sent = 0;
  }

  /** Reports that were missed while nothing was observed, or while the process was suspended, are not made up for. */
  private tick(): void {
    const due = Math.floor(((performance.now() - this.since) * this.perSecond) / 1_000) - this.sent;
    if (!this.watches.isMeasured || due > this.perSecond) return this.begin();
    for (let n = 0; n < due; n++) {
      const watch = this.watches.next();
      if (!watch) break;
      void watch.device.report(watch);
    }
    this.sent += due;
  }
}
