import type { Clock, Logger, Timer } from '@lanyard/service';

export interface BackgroundStepsOptions {
  /** Does a bounded piece of work, and answers whether there was any. */
  step: () => Promise<boolean>;
  /** How often to look for work when nobody called. */
  periodMs: number;
  clock: Clock;
  logger: Logger;
  /** What did not happen when a step failed, for the log. It is tried again with the next period. */
  failure: string;
}

/** A machine that is slow with everything is not made to wait for longer. */
const restMaxMs = 50;

/**
 * Work of any length in small steps, one at a time. After each step it rests half as long as the step took: requests
 * come between.
 */
export class BackgroundSteps {
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly options: BackgroundStepsOptions) {}

  start(): void {
    const { clock, periodMs } = this.options;
    this.timer = clock.every(periodMs, () => this.poke());
  }

  /** There may be work. */
  poke(): void {
    if (this.stopping.signal.aborted) return;
    this.working ??= this.work()
      .catch((err: unknown) => this.options.logger.warn({ err }, `${this.options.failure}, tried again`))
      .finally(() => (this.working = undefined));
  }

  /** Ends with the step that is under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.timer?.cancel();
    await this.working;
  }

  private async work(): Promise<void> {
    const { clock, step } = this.options;
    const { signal } = this.stopping;
    for (;;) {
      const startedMs = clock.now();
      if (signal.aborted || !(await step())) return;
      await clock.sleep(Math.min(restMaxMs, (clock.now() - startedMs) / 2), signal);
    }
  }
}
