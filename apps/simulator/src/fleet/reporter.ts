import { type Watches } from '../observation/watches.js';

/** How often a group checks whether a value is due. As rarely as its rate allows, because a process may have hundreds of groups. */
const tick = { minMs: 20, maxMs: 200 };

/** Makes observed resources report, in turn, at an even rate for the whole group. */
export class Reporter {
  private timer: NodeJS.Timeout | undefined;
  private since = 0;
  private sent = 0;
  /** The rate for which `since` and `sent` count. */
  private rate = 0;

  constructor(
    private readonly watches: Watches,
    /** May change at any time. */
    public perSecond: number,
  ) {}

  start(): void {
    this.begin();
    const tickMs = Math.min(tick.maxMs, Math.max(tick.minMs, 1_000 / this.perSecond));
    this.timer = setInterval(() => this.tick(), tickMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private begin(): void {
    this.rate = this.perSecond;
    this.since = performance.now();
    this.sent = 0;
  }

  /** Reports that were missed while nothing was observed, or while the process was suspended, are not sent later. */
  private tick(): void {
    if (this.perSecond !== this.rate) {
      this.stop();
      this.start();
    }
    const due = Math.floor(((performance.now() - this.since) * this.perSecond) / 1_000) - this.sent;
    if (!this.watches.isMeasured || due > Math.max(1, this.perSecond)) return this.begin();
    for (let n = 0; n < due; n++) {
      const watch = this.watches.next();
      if (!watch) break;
      void watch.device.report(watch);
    }
    this.sent += due;
  }
}
